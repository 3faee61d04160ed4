! call.f90 -- load a file, call its method forward on ones, print the results: gfortran call.f90 -lweft && ./a.out net.weft
module weft
    use iso_c_binding
    implicit none
    integer(c_int), parameter :: wf_f32 = 12
    interface
        function wf_ctx_new(options) bind(c) result(cx)
            import c_ptr
            type(c_ptr), value :: options
            type(c_ptr) :: cx
        end function
        subroutine wf_ctx_free(cx) bind(c)
            import c_ptr
            type(c_ptr), value :: cx
        end subroutine
        function wf_model_load(cx, path, m) bind(c) result(status)
            import c_ptr, c_int, c_char
            type(c_ptr), value :: cx
            character(kind=c_char), intent(in) :: path(*)
            type(c_ptr), intent(out) :: m
            integer(c_int) :: status
        end function
        function wf_model_bind(cx, m, name, p) bind(c) result(status)
            import c_ptr, c_int, c_char
            type(c_ptr), value :: cx, m
            character(kind=c_char), intent(in) :: name(*)
            type(c_ptr), intent(out) :: p
            integer(c_int) :: status
        end function
        function wf_array_from(cx, dtype, dims, rank, numbers, a) bind(c) result(status)
            import c_ptr, c_int, c_int64_t, c_float
            type(c_ptr), value :: cx
            integer(c_int), value :: dtype, rank
            integer(c_int64_t), intent(in) :: dims(*)
            real(c_float), intent(in) :: numbers(*)
            type(c_ptr), intent(out) :: a
            integer(c_int) :: status
        end function
        function wf_array_count(a) bind(c) result(n)
            import c_ptr, c_int64_t
            type(c_ptr), value :: a
            integer(c_int64_t) :: n
        end function
        function wf_array_data(a) bind(c) result(p)
            import c_ptr
            type(c_ptr), value :: a
            type(c_ptr) :: p
        end function
        subroutine wf_array_release(a) bind(c)
            import c_ptr
            type(c_ptr), value :: a
        end subroutine
        subroutine wf_program_release(p) bind(c)
            import c_ptr
            type(c_ptr), value :: p
        end subroutine
        subroutine wf_model_free(m) bind(c)
            import c_ptr
            type(c_ptr), value :: m
        end subroutine
        function wf_eval(cx, p, x, nin, y, nout) bind(c) result(status)
            import c_ptr, c_int
            type(c_ptr), value :: cx, p
            type(c_ptr), intent(in) :: x(*)
            type(c_ptr), intent(out) :: y(*)
            integer(c_int), value :: nin, nout
            integer(c_int) :: status
        end function
    end interface
end module

program call
    use weft
    implicit none
    type(c_ptr) :: cx, m, p, x(1), y(1)
    real(c_float), pointer :: numbers(:)
    character(len=4096) :: path
    integer :: i, status

    call get_command_argument(1, path)
    cx = wf_ctx_new(c_null_ptr)
    status = wf_model_load(cx, trim(path) // c_null_char, m)
    if (status == 0) status = wf_model_bind(cx, m, "forward" // c_null_char, p)
    if (status == 0) status = wf_array_from(cx, wf_f32, [1_c_int64_t, 3_c_int64_t], 2, [1.0, 1.0, 1.0], x(1))
    if (status == 0) status = wf_eval(cx, p, x, 1, y, 1)
    if (status /= 0) error stop "the model does not run"
    call c_f_pointer(wf_array_data(y(1)), numbers, [wf_array_count(y(1))])
    do i = 1, size(numbers)
        print '(f0.4)', numbers(i)
    end do
    call wf_array_release(x(1))
    call wf_array_release(y(1))
    call wf_program_release(p)
    call wf_model_free(m)
    call wf_ctx_free(cx)
end program
