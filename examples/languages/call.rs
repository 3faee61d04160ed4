// call.rs -- load a file, call its method forward on ones, print the results: rustc call.rs -l weft && ./call net.weft
use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::ptr::{null, null_mut};

#[link(name = "weft")]
extern "C" {
    fn wf_ctx_new(options: *const c_void) -> *mut c_void;
    fn wf_ctx_free(cx: *mut c_void);
    fn wf_ctx_message(cx: *mut c_void) -> *const c_char;
    fn wf_model_load(cx: *mut c_void, path: *const c_char, out: *mut *mut c_void) -> c_int;
    fn wf_model_free(m: *mut c_void);
    fn wf_model_bind(cx: *mut c_void, m: *const c_void, name: *const c_char, out: *mut *const c_void) -> c_int;
    fn wf_program_release(p: *const c_void);
    fn wf_array_from(cx: *mut c_void, dtype: c_int, dims: *const i64, rank: c_int, data: *const c_void, out: *mut *mut c_void) -> c_int;
    fn wf_array_count(a: *const c_void) -> i64;
    fn wf_array_data(a: *const c_void) -> *const c_void;
    fn wf_array_release(a: *mut c_void);
    fn wf_eval(cx: *mut c_void, p: *const c_void, x: *const *mut c_void, nin: c_int, out: *mut *mut c_void, nout: c_int) -> c_int;
}

const F32: c_int = 12; // WF_F32; the numbers of dtypes are for good

fn main() {
    let path = CString::new(std::env::args().nth(1).expect("call FILE")).unwrap();
    let forward = CString::new("forward").unwrap();
    // Sound: every pointer comes from the library and is released once, after its last use.
    unsafe {
        let cx = wf_ctx_new(null());
        let (mut model, mut program) = (null_mut(), null());
        let (mut x, mut y) = (null_mut(), null_mut());
        wf_model_load(cx, path.as_ptr(), &mut model);
        wf_model_bind(cx, model, forward.as_ptr(), &mut program);
        wf_array_from(cx, F32, [1i64, 3].as_ptr(), 2, [1f32; 3].as_ptr().cast(), &mut x);
        if wf_eval(cx, program, &x, 1, &mut y, 1) != 0 {
            eprintln!("{}", CStr::from_ptr(wf_ctx_message(cx)).to_string_lossy());
            std::process::exit(1);
        }
        for v in std::slice::from_raw_parts(wf_array_data(y) as *const f32, wf_array_count(y) as usize) {
            println!("{}", v);
        }
        wf_array_release(x);
        wf_array_release(y);
        wf_program_release(program);
        wf_model_free(model);
        wf_ctx_free(cx);
    }
}
