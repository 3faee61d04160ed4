/* weft.hpp -- Weft in C++17: header only, over weft.h.
 *
 *     weft::context cx;
 *     weft::model net(cx, "net.weft");
 *     weft::array x = weft::array::of<float>(cx, {1.0f, 2.0f, 3.0f}, {1, 3});
 *     std::vector<weft::array> y = net.bind("forward").compile()(x);
 *     for (float v : y[0].view<float>()) ...
 *
 *     auto square = [](weft::tensor x) { return x * x; };
 *     weft::program p = weft::trace(cx, square, "f32[N]");          a program of a closure
 *     weft::tensor g = weft::grad(square, cx.scalar(3.0));          or its gradient, at once
 *
 * Training is below, at "networks". What has no name here is called by its name in C: all handles pass as those of C, or have get().
 *
 * Handles own what they hold: they are copied where Weft counts references (arrays, programs, executables), and moved where there is one
 * owner (context, model). A call that fails throws weft::error, whose what() is the whole diagnostic and whose status() is Weft's; the
 * context can be used again. As in C a context serves one thread at a time and outlives its tensors; all else is shared freely.
 *
 * A tensor is a value of the context, released with it (or with a weft::scope), and prints.
 */
#ifndef WEFT_HPP
#define WEFT_HPP

#include "weft.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <initializer_list>
#include <ostream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft {

/* ---- errors ---------------------------------------------------------------------------------------- */

class error : public std::runtime_error {
public:
    error(wf_status status, const std::string &text) : std::runtime_error(text), status_(status) {}
    wf_status status() const noexcept { return status_; }

private:
    wf_status status_;
};

/* Throws the context's error, if it has one, and clears it. */
inline void check(wf_ctx *cx)
{
    wf_status st = wf_ctx_status(cx);
    if (st == WF_OK)
        return;
    std::string text = wf_ctx_message(cx);
    wf_clear(cx);
    throw error(st, text);
}

/* ---- spans: C++17 has none --------------------------------------------------------------------------- */

template <class T> class span {
public:
    constexpr span() noexcept = default;
    constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
    constexpr T *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    constexpr T *begin() const noexcept { return data_; }
    constexpr T *end() const noexcept { return data_ + size_; }
    constexpr T &operator[](std::size_t i) const noexcept { return data_[i]; }

private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

/* ---- dtypes: which one a C++ type is -------------------------------------------------------------------- */

template <class T> struct dtype_of;
template <> struct dtype_of<bool> : std::integral_constant<wf_dtype, WF_BOOL> {};
template <> struct dtype_of<std::int8_t> : std::integral_constant<wf_dtype, WF_I8> {};
template <> struct dtype_of<std::int16_t> : std::integral_constant<wf_dtype, WF_I16> {};
template <> struct dtype_of<std::int32_t> : std::integral_constant<wf_dtype, WF_I32> {};
template <> struct dtype_of<std::int64_t> : std::integral_constant<wf_dtype, WF_I64> {};
template <> struct dtype_of<std::uint8_t> : std::integral_constant<wf_dtype, WF_U8> {};
template <> struct dtype_of<std::uint16_t> : std::integral_constant<wf_dtype, WF_U16> {};
template <> struct dtype_of<std::uint32_t> : std::integral_constant<wf_dtype, WF_U32> {};
template <> struct dtype_of<std::uint64_t> : std::integral_constant<wf_dtype, WF_U64> {};
template <> struct dtype_of<float> : std::integral_constant<wf_dtype, WF_F32> {};
template <> struct dtype_of<double> : std::integral_constant<wf_dtype, WF_F64> {};

using shape = std::vector<std::int64_t>;

namespace detail {
/* A counted handle of Weft's. */
template <class T, T *(*Retain)(T *), void (*Release)(T *)> class counted {
public:
    counted() noexcept = default;
    explicit counted(T *p) noexcept : p_(p) {}
    counted(const counted &o) noexcept : p_(o.p_ ? Retain(o.p_) : nullptr) {}
    counted(counted &&o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
    counted &operator=(counted o) noexcept
    {
        std::swap(p_, o.p_);
        return *this;
    }
    ~counted()
    {
        if (p_)
            Release(p_);
    }
    T *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }

protected:
    T *p_ = nullptr;
};
inline int count_of(std::size_t n) { return static_cast<int>(n); }
} // namespace detail

class tensor;

/* ---- context ------------------------------------------------------------------------------------------ */

class context {
public:
    /* threads 0: all this process may use. compile_after: runs after which a program is compiled; 0: never by itself. */
    explicit context(int threads = 0, int compile_after = 10)
    {
        wf_options o{};
        o.size = sizeof o;
        o.threads = threads;
        o.compile_after = compile_after;
        open(o);
    }
    explicit context(const wf_options &o) { open(o); }
    context(context &&o) noexcept : cx_(std::exchange(o.cx_, nullptr)) {}
    context &operator=(context &&o) noexcept
    {
        std::swap(cx_, o.cx_);
        return *this;
    }
    context(const context &) = delete;
    context &operator=(const context &) = delete;
    ~context() { wf_ctx_free(cx_); }

    wf_ctx *get() const noexcept { return cx_; }
    operator wf_ctx *() const noexcept { return cx_; }

    inline tensor scalar(double x, wf_dtype dtype = WF_F32) const;
    template <class T> inline tensor from(const std::vector<T> &data, const shape &dims) const;
    inline tensor zeros(const shape &dims, wf_dtype dtype = WF_F32) const;
    inline tensor ones(const shape &dims, wf_dtype dtype = WF_F32) const;

private:
    void open(const wf_options &o)
    {
        if (!(cx_ = wf_ctx_new(&o)))
            throw std::bad_alloc();
    }
    wf_ctx *cx_ = nullptr;
};

/* Tensors made in it are released at its end, but for what `keep` hands to the enclosing one. */
class scope {
public:
    explicit scope(wf_ctx *cx) : cx_(cx) { wf_scope_begin(cx_); }
    ~scope()
    {
        if (cx_)
            wf_scope_end(cx_);
    }
    scope(const scope &) = delete;
    scope &operator=(const scope &) = delete;
    inline tensor keep(const tensor &t);

private:
    wf_ctx *cx_;
};

/* ---- arrays ------------------------------------------------------------------------------------------- */

class array : public detail::counted<wf_array, wf_array_retain, wf_array_release> {
public:
    using counted::counted;

    /* Zeros. */
    array(wf_ctx *cx, wf_dtype dtype, const shape &dims)
    {
        wf_array_new(cx, dtype, dims.data(), detail::count_of(dims.size()), &p_);
        check(cx);
    }
    /* A copy of row-major numbers. */
    template <class T> static array of(wf_ctx *cx, span<const T> data, const shape &dims)
    {
        std::int64_t n = 1;
        for (std::int64_t d : dims)
            n *= d;
        if (n != static_cast<std::int64_t>(data.size()))
            throw error(WF_ERR_SHAPE, "weft::array: " + std::to_string(data.size()) + " numbers for a shape of " + std::to_string(n));
        array a;
        wf_array_from(cx, dtype_of<T>::value, dims.data(), detail::count_of(dims.size()), data.data(), &a.p_);
        check(cx);
        return a;
    }
    template <class T> static array of(wf_ctx *cx, const std::vector<T> &data, const shape &dims)
    {
        return of<T>(cx, span<const T>(data.data(), data.size()), dims);
    }
    template <class T> static array of(wf_ctx *cx, std::initializer_list<T> data, const shape &dims)
    {
        return of<T>(cx, span<const T>(data.begin(), data.size()), dims);
    }
    /* The caller's memory, not copied, which must outlive the array. */
    template <class T> static array on(wf_ctx *cx, T *data, const shape &dims)
    {
        array a;
        wf_array_wrap(cx, dtype_of<T>::value, dims.data(), detail::count_of(dims.size()), nullptr, data, nullptr, nullptr, &a.p_);
        check(cx);
        return a;
    }

    wf_dtype dtype() const { return wf_array_dtype(p_); }
    shape dims() const
    {
        const std::int64_t *d = wf_array_dims(p_);
        return shape(d, d + wf_array_rank(p_));
    }
    std::int64_t count() const { return wf_array_count(p_); }
    /* Row-major on the host: the array itself, or a copy. */
    array contiguous(wf_ctx *cx) const
    {
        array a;
        wf_array_contiguous(cx, p_, &a.p_);
        check(cx);
        return a;
    }
    /* Its numbers. WF_ERR_TYPE: it has others; results of runs are row-major, others may need contiguous(). */
    template <class T> span<const T> view() const
    {
        expect<T>();
        return span<const T>(static_cast<const T *>(wf_array_data(p_)), static_cast<std::size_t>(count()));
    }
    template <class T> span<T> view_mutable()
    {
        expect<T>();
        void *data = wf_array_data_mutable(p_);
        if (!data && count())
            throw error(WF_ERR_VALUE, "weft::array: its memory may not be written to");
        return span<T>(static_cast<T *>(data), static_cast<std::size_t>(count()));
    }
    std::string text(wf_ctx *cx) const
    {
        const char *s = "";
        wf_array_text(cx, p_, &s);
        check(cx);
        return s;
    }

private:
    template <class T> void expect() const
    {
        if (dtype() != dtype_of<T>::value)
            throw error(WF_ERR_TYPE, std::string("weft::array: has ") + wf_dtype_name(dtype()) + ", asked for " +
                                         wf_dtype_name(dtype_of<T>::value));
        std::int64_t run = 1;
        for (int k = wf_array_rank(p_); k-- > 0;) {
            if (wf_array_dims(p_)[k] > 1 && wf_array_strides(p_)[k] != run && count())
                throw error(WF_ERR_SHAPE, "weft::array: is not row-major: call contiguous() first");
            run *= wf_array_dims(p_)[k];
        }
        if (!wf_array_data(p_) && count())
            throw error(WF_ERR_ARG, "weft::array: the host cannot read its memory");
    }
};

/* ---- executables, programs ---------------------------------------------------------------------------- */

/* Run from any number of threads at once, each with a context of its own: run.on(mine)(x). */
class executable : public detail::counted<wf_exec, wf_exec_retain, wf_exec_release> {
public:
    executable() noexcept = default;
    executable(wf_ctx *cx, wf_exec *e) noexcept : counted(e), cx_(cx) {}

    std::vector<array> run(wf_ctx *cx, span<const array> in) const
    {
        std::vector<wf_array *> x, y(static_cast<std::size_t>(wf_exec_outputs(p_)));
        for (const array &a : in)
            x.push_back(a.get());
        wf_run(cx, p_, x.data(), detail::count_of(x.size()), y.data(), detail::count_of(y.size()));
        check(cx);
        std::vector<array> out;
        for (wf_array *a : y)
            out.emplace_back(a);
        return out;
    }
    /* In the context it was made in. */
    template <class... A> std::vector<array> operator()(const A &...in) const
    {
        const std::array<array, sizeof...(A)> x{in...};
        return run(cx_, span<const array>(x.data(), x.size()));
    }
    /* The same, run in another context. */
    executable on(wf_ctx *cx) const
    {
        executable e(*this);
        e.cx_ = cx;
        return e;
    }
    bool is_compiled() const { return wf_exec_is_compiled(p_); }

private:
    wf_ctx *cx_ = nullptr;
};

namespace detail {
inline wf_program *program_retain(wf_program *p) { return const_cast<wf_program *>(wf_program_retain(p)); }
inline void program_release(wf_program *p) { wf_program_release(p); }
} // namespace detail

class program : public detail::counted<wf_program, detail::program_retain, detail::program_release> {
public:
    program() noexcept = default;
    program(wf_ctx *cx, const wf_program *p) noexcept : counted(const_cast<wf_program *>(p)), cx_(cx) {}
    /* The last one of a text. */
    program(wf_ctx *cx, const std::string &text) : cx_(cx)
    {
        wf_model *m = nullptr;
        wf_model_parse(cx, "<text>", text.data(), text.size(), &m);
        check(cx);
        p_ = const_cast<wf_program *>(wf_program_retain(wf_model_program(m, wf_model_programs(m) - 1)));
        wf_model_free(m);
    }

    std::string name() const { return wf_program_name(p_); }
    int inputs() const { return wf_program_inputs(p_); }
    int outputs() const { return wf_program_outputs(p_); }
    std::string text(unsigned flags = 0) const
    {
        const char *s = "";
        wf_program_text(cx_, p_, flags, &s);
        check(cx_);
        return s;
    }

    program grad(const std::vector<int> &wrt = {0}) const { return by(wf_grad, wrt); }
    program value_and_grad(const std::vector<int> &wrt = {0}) const { return by(wf_value_and_grad, wrt); }
    program jvp(const std::vector<int> &wrt = {0}) const { return by(wf_jvp, wrt); }
    program vjp(const std::vector<int> &wrt = {0}) const { return by(wf_vjp, wrt); }
    program jacfwd(const std::vector<int> &wrt = {0}) const { return by(wf_jacfwd, wrt); }
    program jacrev(const std::vector<int> &wrt = {0}) const { return by(wf_jacrev, wrt); }
    program hessian(const std::vector<int> &wrt = {0}) const { return by(wf_hessian, wrt); }
    /* axes: of each input, or -1. */
    program vmap(const std::vector<int> &axes) const
    {
        const wf_program *out = nullptr;
        wf_vmap(cx_, p_, axes.data(), detail::count_of(axes.size()), nullptr, -1, &out);
        check(cx_);
        return program(cx_, out);
    }

    executable prepare() const
    {
        wf_exec *e = nullptr;
        wf_prepare(cx_, p_, &e);
        check(cx_);
        return executable(cx_, e);
    }
    executable compile(unsigned flags = 0) const
    {
        wf_exec *e = nullptr;
        wf_compile(cx_, p_, flags, &e);
        check(cx_);
        return executable(cx_, e);
    }
    /* Prepared and run once. */
    template <class... A> std::vector<array> operator()(const A &...in) const { return prepare()(in...); }

    friend bool operator==(const program &a, const program &b) { return wf_program_equal(a.p_, b.p_); }
    friend std::ostream &operator<<(std::ostream &out, const program &p) { return out << p.text(); }

private:
    using transform = wf_status (*)(wf_ctx *, const wf_program *, const int *, int, const wf_program **);
    program by(transform f, const std::vector<int> &wrt) const
    {
        const wf_program *out = nullptr;
        f(cx_, p_, wrt.data(), detail::count_of(wrt.size()), &out);
        check(cx_);
        return program(cx_, out);
    }
    wf_ctx *cx_ = nullptr;
};

/* ---- models ------------------------------------------------------------------------------------------- */

class model {
public:
    explicit model(wf_ctx *cx) : cx_(cx)
    {
        wf_model_new(cx, &m_);
        check(cx);
    }
    model(wf_ctx *cx, const std::string &path) : cx_(cx)
    {
        wf_model_load(cx, path.c_str(), &m_);
        check(cx);
    }
    model(model &&o) noexcept : cx_(o.cx_), m_(std::exchange(o.m_, nullptr)) {}
    model &operator=(model &&o) noexcept
    {
        std::swap(cx_, o.cx_);
        std::swap(m_, o.m_);
        return *this;
    }
    model(const model &) = delete;
    model &operator=(const model &) = delete;
    ~model() { wf_model_free(m_); }

    wf_model *get() const noexcept { return m_; }
    std::vector<std::string> methods() const
    {
        std::vector<std::string> out;
        for (int i = 0; i < wf_model_programs(m_); i++)
            out.emplace_back(wf_program_name(wf_model_program(m_, i)));
        return out;
    }
    /* A method as a program of its arguments alone: tensors of the file are constants. */
    program bind(const std::string &method) const
    {
        const wf_program *p = nullptr;
        wf_model_bind(cx_, m_, method.c_str(), &p);
        check(cx_);
        return program(cx_, p);
    }
    /* Runs a method with the file's tensors, which it may change. */
    inline std::vector<tensor> run(const std::string &method, const std::vector<tensor> &in, int outputs = 1);
    array tensor_named(const std::string &name) const
    {
        wf_array *a = wf_model_find_tensor(m_, name.c_str());
        if (!a)
            throw error(WF_ERR_NAME, "weft::model: there is no tensor '" + name + "'");
        return array(wf_array_retain(a));
    }
    void set_tensor(const std::string &name, const array &a)
    {
        wf_model_set_tensor(cx_, m_, name.c_str(), a.get());
        check(cx_);
    }
    void add(const program &p)
    {
        wf_model_add(cx_, m_, p.get());
        check(cx_);
    }
    void save(const std::string &path) const
    {
        wf_model_save(cx_, m_, path.c_str());
        check(cx_);
    }

private:
    wf_ctx *cx_;
    wf_model *m_ = nullptr;
};

/* ---- tensors ------------------------------------------------------------------------------------------ */

class tensor {
public:
    tensor() noexcept : cx_(nullptr), t_(WF_NONE) {}
    tensor(wf_ctx *cx, wf_tensor t) : cx_(cx), t_(t) { check(cx); }
    tensor(wf_ctx *cx, const array &a) : tensor(cx, wf_from_array(cx, a.get())) {}

    wf_tensor get() const noexcept { return t_; }
    wf_ctx *ctx() const noexcept { return cx_; }
    wf_dtype dtype() const { return wf_dtype_of(cx_, t_); }
    shape dims() const
    {
        shape d(static_cast<std::size_t>(wf_rank(cx_, t_) < 0 ? 0 : wf_rank(cx_, t_)));
        wf_shape(cx_, t_, d.data(), detail::count_of(d.size()));
        check(cx_);
        return d;
    }
    double item() const
    {
        double v = wf_item(cx_, t_);
        check(cx_);
        return v;
    }
    array to_array() const
    {
        wf_array *a = nullptr;
        wf_to_array(cx_, t_, &a);
        check(cx_);
        return array(a);
    }
    template <class T> std::vector<T> to_vector() const
    {
        array a = to_array().contiguous(cx_);
        auto v = a.view<T>();
        return std::vector<T>(v.begin(), v.end());
    }

    tensor &requires_grad(bool on = true)
    {
        wf_requires_grad(cx_, t_, on);
        check(cx_);
        return *this;
    }
    void backward() const
    {
        wf_backward(cx_, t_, WF_NONE, 0);
        check(cx_);
    }
    tensor grad() const { return tensor(cx_, wf_grad_of(cx_, t_)); }

    tensor operator-() const { return tensor(cx_, wf_neg(cx_, t_)); }
    tensor cast(wf_dtype d) const { return tensor(cx_, wf_cast(cx_, t_, d)); }
    tensor reshape(const shape &d) const { return tensor(cx_, wf_reshape(cx_, t_, d.data(), detail::count_of(d.size()))); }
    tensor transpose() const { return tensor(cx_, wf_permute(cx_, t_, nullptr, 0)); }
    tensor sum() const { return tensor(cx_, wf_sum(cx_, t_, nullptr, 0, false)); }
    tensor sum(const std::vector<int> &axes, bool keep = false) const
    {
        return tensor(cx_, wf_sum(cx_, t_, axes.data(), detail::count_of(axes.size()), keep));
    }
    tensor mean() const { return tensor(cx_, wf_mean(cx_, t_, nullptr, 0, false)); }
    tensor mean(const std::vector<int> &axes, bool keep = false) const
    {
        return tensor(cx_, wf_mean(cx_, t_, axes.data(), detail::count_of(axes.size()), keep));
    }
    tensor max() const { return tensor(cx_, wf_max(cx_, t_, nullptr, 0, false)); }
    tensor operator[](std::int64_t i) const
    {
        wf_index ix = wf_at_int(i);
        return tensor(cx_, wf_index_get(cx_, t_, &ix, 1));
    }

    /* As PyTorch prints it; a tensor of a program being traced says its type. */
    friend std::ostream &operator<<(std::ostream &out, const tensor &t)
    {
        const char *s = "";
        if (wf_is_none(t.t_))
            return out << "none";
        if (wf_is_symbolic(t.cx_, t.t_))
            return out << "symbolic " << wf_dtype_name(t.dtype());
        wf_text(t.cx_, t.t_, WF_STYLE_TORCH, nullptr, &s);
        check(t.cx_);
        return out << s;
    }

private:
    wf_ctx *cx_;
    wf_tensor t_;
};

#define WEFT_HPP_BINARY(op, fn)                                                                                                  \
    inline tensor operator op(const tensor &a, const tensor &b) { return tensor(a.ctx(), fn(a.ctx(), a.get(), b.get())); }       \
    inline tensor operator op(const tensor &a, double b) { return tensor(a.ctx(), fn(a.ctx(), a.get(), wf_float(a.ctx(), b))); } \
    inline tensor operator op(double a, const tensor &b) { return tensor(b.ctx(), fn(b.ctx(), wf_float(b.ctx(), a), b.get())); }
WEFT_HPP_BINARY(+, wf_add)
WEFT_HPP_BINARY(-, wf_sub)
WEFT_HPP_BINARY(*, wf_mul)
WEFT_HPP_BINARY(/, wf_div)
WEFT_HPP_BINARY(<, wf_lt)
WEFT_HPP_BINARY(<=, wf_le)
WEFT_HPP_BINARY(>, wf_gt)
WEFT_HPP_BINARY(>=, wf_ge)
#undef WEFT_HPP_BINARY

#define WEFT_HPP_UNARY(name) \
    inline tensor name(const tensor &x) { return tensor(x.ctx(), wf_##name(x.ctx(), x.get())); }
WEFT_HPP_UNARY(abs)
WEFT_HPP_UNARY(exp)
WEFT_HPP_UNARY(log)
WEFT_HPP_UNARY(sin)
WEFT_HPP_UNARY(cos)
WEFT_HPP_UNARY(tanh)
WEFT_HPP_UNARY(sqrt)
WEFT_HPP_UNARY(square)
WEFT_HPP_UNARY(sigmoid)
WEFT_HPP_UNARY(relu)
WEFT_HPP_UNARY(erf)
#undef WEFT_HPP_UNARY

inline tensor matmul(const tensor &a, const tensor &b) { return tensor(a.ctx(), wf_matmul(a.ctx(), a.get(), b.get())); }
inline tensor pow(const tensor &a, const tensor &b) { return tensor(a.ctx(), wf_pow(a.ctx(), a.get(), b.get())); }
inline tensor maximum(const tensor &a, const tensor &b) { return tensor(a.ctx(), wf_maximum(a.ctx(), a.get(), b.get())); }
inline tensor minimum(const tensor &a, const tensor &b) { return tensor(a.ctx(), wf_minimum(a.ctx(), a.get(), b.get())); }
inline tensor where(const tensor &c, const tensor &a, const tensor &b)
{
    return tensor(a.ctx(), wf_where(a.ctx(), c.get(), a.get(), b.get()));
}
inline tensor softmax(const tensor &x, int axis = -1) { return tensor(x.ctx(), wf_softmax(x.ctx(), x.get(), axis)); }

inline tensor context::scalar(double x, wf_dtype dtype) const { return tensor(cx_, wf_scalar(cx_, dtype, x)); }
inline tensor context::zeros(const shape &d, wf_dtype dtype) const
{
    return tensor(cx_, wf_zeros(cx_, dtype, d.data(), detail::count_of(d.size())));
}
inline tensor context::ones(const shape &d, wf_dtype dtype) const
{
    return tensor(cx_, wf_ones(cx_, dtype, d.data(), detail::count_of(d.size())));
}
template <class T> inline tensor context::from(const std::vector<T> &data, const shape &dims) const
{
    return tensor(cx_, array::of<T>(cx_, data, dims));
}
inline tensor scope::keep(const tensor &t)
{
    wf_ctx *cx = std::exchange(cx_, nullptr);
    return tensor(cx, wf_scope_end_with(cx, t.get()));
}

inline std::vector<tensor> model::run(const std::string &method, const std::vector<tensor> &in, int outputs)
{
    std::vector<wf_tensor> x, y(static_cast<std::size_t>(outputs));
    std::vector<tensor> out;
    for (const tensor &t : in)
        x.push_back(t.get());
    wf_model_run(cx_, m_, method.c_str(), x.data(), detail::count_of(x.size()), y.data(), outputs);
    check(cx_);
    for (wf_tensor t : y)
        out.emplace_back(cx_, t);
    return out;
}

/* ---- networks: what the functions of weft_nn.h make, owned ----------------------------------------------
 *
 *     weft::generator g(cx, 42);
 *     weft::network net(cx, wf_nn_sequential(cx, 3, wf_nn_linear(cx, g, 2, 8, true), wf_nn_relu(cx), wf_nn_linear(cx, g, 8, 1, true)));
 *     weft::optimiser adam(cx, wf_adam(cx, net, 1e-3, 0.9, 0.999, 1e-8, 0));
 *     for (...) {
 *         weft::scope s(cx);                            what a step makes is gone at its end
 *         weft::tensor loss(cx, wf_mse_loss(cx, net(x).get(), y.get(), WF_MEAN));
 *         wf_optim_zero_grad(cx, adam);
 *         loss.backward();
 *         wf_optim_step(cx, adam);
 *         weft::check(cx);                              throws what functions of C have left
 *     }
 *     weft::model file(cx);
 *     wf_module_store(cx, net, file.get()); ..          and the rest of weft_nn.h's "files"
 *
 * They pass as the handles they own. Modules, optimisers and loaders may be freed in any order, before the context; generators after
 * the modules and loaders that draw from them. */

namespace detail {
template <class T, void (*Free)(wf_ctx *, T *)> class owned {
public:
    owned(wf_ctx *cx, T *p) : cx_(cx), p_(p)
    {
        if (wf_ctx_status(cx) != WF_OK)
            Free(cx, std::exchange(p_, nullptr));
        check(cx);
    }
    owned(owned &&o) noexcept : cx_(o.cx_), p_(std::exchange(o.p_, nullptr)) {}
    owned &operator=(owned &&o) noexcept
    {
        std::swap(cx_, o.cx_);
        std::swap(p_, o.p_);
        return *this;
    }
    ~owned() { Free(cx_, p_); }
    T *get() const noexcept { return p_; }
    operator T *() const noexcept { return p_; }

protected:
    wf_ctx *cx_;
    T *p_;
};
inline void generator_free(wf_ctx *, wf_generator *g) { wf_generator_free(g); }
inline wf_generator *generator_new(wf_ctx *cx, std::uint64_t seed)
{
    wf_generator *g = nullptr;
    wf_generator_new(cx, seed, &g);
    return g;
}
} // namespace detail

class generator : public detail::owned<wf_generator, detail::generator_free> {
public:
    generator(wf_ctx *cx, std::uint64_t seed) : owned(cx, detail::generator_new(cx, seed)) {}
};

class network : public detail::owned<wf_module, wf_module_release> {
public:
    using owned::owned;
    /* One input, one result. */
    tensor operator()(const tensor &x) const { return tensor(cx_, wf_forward_one(cx_, p_, x.get())); }
};

using optimiser = detail::owned<wf_optim, wf_optim_free>;
using loader = detail::owned<wf_loader, wf_loader_free>;

/* ---- functions of closures ------------------------------------------------------------------------------
 *
 * A closure takes tensors and gives one, or a vector of them. What it throws comes out of the call it was given to. */

namespace detail {
template <class F> struct function {
    const F *f;
    std::exception_ptr thrown;

    template <std::size_t... I> static auto apply(const F &f, wf_ctx *c, const wf_tensor *in, std::index_sequence<I...>)
    {
        return f(tensor(c, in[I])...);
    }
    static wf_status give(wf_ctx *c, const tensor &t)
    {
        wf_tensor h = t.get();
        return wf_give(c, &h, 1);
    }
    static wf_status give(wf_ctx *c, const std::vector<tensor> &ts)
    {
        std::vector<wf_tensor> h;
        for (const tensor &t : ts)
            h.push_back(t.get());
        return wf_give(c, h.data(), count_of(h.size()));
    }
    template <std::size_t N> static wf_status call(wf_ctx *c, void *user, const wf_tensor *in, int, wf_tensor *, int)
    {
        auto *self = static_cast<function *>(user);
        try {
            return give(c, apply(*self->f, c, in, std::make_index_sequence<N>()));
        } catch (...) { /* must not pass through C */
            self->thrown = std::current_exception();
            return wf_raise(c, WF_ERR_VALUE, "a closure threw an exception");
        }
    }
    template <std::size_t N> wf_function as_c() { return WF_FUNCTION(&function::template call<N>, this, static_cast<int>(N), WF_ANY, nullptr); }
    void rethrow(wf_ctx *cx)
    {
        if (thrown) {
            wf_clear(cx);
            std::rethrow_exception(thrown);
        }
        check(cx);
    }
};
} // namespace detail

/* A program of a closure on tensors of these types ("f32[N,3]"; one symbol for each name). */
template <class F, class... Types> program trace(wf_ctx *cx, const F &f, const Types &...types)
{
    const std::array<std::string, sizeof...(Types)> held{std::string(types)...};
    std::array<const char *, sizeof...(Types)> names{};
    for (std::size_t i = 0; i < held.size(); i++)
        names[i] = held[i].c_str();
    detail::function<F> fn{&f, nullptr};
    wf_function c = fn.template as_c<sizeof...(Types)>();
    const wf_program *p = nullptr;
    wf_trace_types(cx, &c, names.data(), detail::count_of(names.size()), &p);
    fn.rethrow(cx);
    return program(cx, p);
}

/* The gradient of a closure's (first) result, a number, by its first argument. */
template <class F, class... Rest> tensor grad(const F &f, const tensor &x, const Rest &...rest)
{
    const std::array<wf_tensor, 1 + sizeof...(Rest)> in{x.get(), rest.get()...};
    detail::function<F> fn{&f, nullptr};
    wf_function c = fn.template as_c<1 + sizeof...(Rest)>();
    wf_tensor g = WF_NONE;
    int wrt = 0;
    wf_grad_call(x.ctx(), &c, in.data(), detail::count_of(in.size()), &wrt, 1, nullptr, 0, &g);
    fn.rethrow(x.ctx());
    return tensor(x.ctx(), g);
}

/* A closure of each row of its arguments. */
template <class F, class... Rest> std::vector<tensor> vmap(const F &f, const tensor &x, const Rest &...rest)
{
    const std::array<wf_tensor, 1 + sizeof...(Rest)> in{x.get(), rest.get()...};
    const std::array<int, 1 + sizeof...(Rest)> axes{};
    detail::function<F> fn{&f, nullptr};
    wf_function c = fn.template as_c<1 + sizeof...(Rest)>();
    wf_vmap_call(x.ctx(), &c, in.data(), axes.data(), detail::count_of(in.size()), nullptr, nullptr, nullptr, 0);
    fn.rethrow(x.ctx());
    int n = 0;
    const wf_tensor *t = wf_given(x.ctx(), &n);
    std::vector<tensor> out;
    for (int i = 0; i < n; i++)
        out.emplace_back(x.ctx(), t[i]);
    return out;
}

} // namespace weft

#endif
