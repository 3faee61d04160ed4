// call.go -- load a file, call its method forward on ones, print the results: go run call.go net.weft
package main

/*
#cgo LDFLAGS: -lweft
#include <weft.h>
#include <stdlib.h>
*/
import "C"

import (
	"fmt"
	"os"
	"unsafe"
)

func main() {
	cx := C.wf_ctx_new(nil)
	defer C.wf_ctx_free(cx)
	path, forward := C.CString(os.Args[1]), C.CString("forward")
	defer C.free(unsafe.Pointer(path))
	defer C.free(unsafe.Pointer(forward))

	var model *C.wf_model
	var program *C.wf_program
	var x, y *C.wf_array
	C.wf_model_load(cx, path, &model)
	C.wf_model_bind(cx, model, forward, &program)
	dims, numbers := [2]C.int64_t{1, 3}, [3]C.float{1, 1, 1}
	C.wf_array_from(cx, C.WF_F32, &dims[0], 2, unsafe.Pointer(&numbers[0]), &x)
	if C.wf_eval(cx, program, &x, 1, &y, 1) != C.WF_OK {
		fmt.Fprintln(os.Stderr, C.GoString(C.wf_ctx_message(cx)))
		os.Exit(1)
	}
	for _, v := range unsafe.Slice((*float32)(C.wf_array_data(y)), int(C.wf_array_count(y))) {
		fmt.Println(v)
	}
	C.wf_array_release(x)
	C.wf_array_release(y)
	C.wf_program_release(program)
	C.wf_model_free(model)
}
