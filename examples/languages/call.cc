// call.cc -- load a file, call its method forward on ones, print the results: ./call net.weft
#include <weft.hpp>

#include <iostream>

int main(int argc, char **argv)
try {
    weft::context cx;
    weft::model net(cx, argc > 1 ? argv[1] : "net.weft");
    auto y = net.bind("forward")(weft::array::of<float>(cx, {1, 1, 1}, {1, 3}));
    for (float v : y[0].view<float>())
        std::cout << v << '\n';
    return 0;
} catch (const weft::error &e) {
    std::cerr << e.what() << '\n';
    return 1;
}
