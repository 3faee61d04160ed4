import io, re, sys, unittest
from unittest import mock


class T(unittest.TestCase):
    @classmethod
    def setUpClass(cls): print("class")
    def setUp(self): self.addCleanup(lambda: None)
    def test_a(self): self.assertEqual(1, 1)
    def test_b(self): self.assertEqual([1, 2, 3], [1, 2, 4])
    def test_c(self): raise KeyError("x")
    @unittest.skip("no")
    def test_d(self): pass
    @unittest.expectedFailure
    def test_e(self): self.assertTrue(False)
    def test_f(self):
        for i in range(3):
            with self.subTest(i=i):
                self.assertNotEqual(i, 1)
    def test_g(self):
        """Dicts differ."""
        with self.assertRaisesRegex(ValueError, "b.d"):
            raise ValueError("bad")
        self.assertDictEqual({"a": 1}, {"a": 2}, "hm")
    def test_h(self): self.assertAlmostEqual(1.0, 1.1, places=3)
    def test_i(self): self.assertMultiLineEqual("a\nb\n", "a\nc\n")
    def test_j(self): self.assertCountEqual([1, 1, 2], [1, 2, 2])
    def test_k(self):
        with self.assertRaises(KeyError):
            pass
    def test_l(self):
        with self.assertLogs("x", "INFO") as got:
            import logging
            logging.getLogger("x").warning("w%d", 1)
        self.assertEqual(got.output, ["WARNING:x:w1"])
        import warnings
        with self.assertWarns(UserWarning):
            warnings.warn("u")


class M(unittest.TestCase):
    def test_m(self):
        m = mock.Mock(return_value=3)
        self.assertEqual(m(1, k=2), 3)
        m.assert_called_once_with(1, k=2)
        mm = mock.MagicMock()
        mm.foo.bar(1)
        print(mm.mock_calls, mm.method_calls, len(mm), mm.__len__.called)
        with mock.patch("os.path.exists", return_value="yes") as e:
            import os
            print(os.path.exists("q"), e.call_args, e.call_count)
        print(os.path.exists("/nowhere"))
        with mock.patch.dict("os.environ", {"Q": "1"}):
            print(os.environ["Q"])
        print("Q" in os.environ)
        s = mock.Mock(side_effect=[1, ValueError("v")])
        print(s())
        with self.assertRaises(ValueError):
            s()
        with mock.patch.object(M, "helper", create=True) as h:
            M.helper(5)
            h.assert_called_once_with(5)
        m.assert_called_with(5)


def text(verbosity):
    out = io.StringIO()
    tests = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    r = unittest.TextTestRunner(out, verbosity=verbosity).run(tests)
    s = re.sub(r"in \d\.\d+s", "in 0s", out.getvalue())
    s = re.sub(r'  File .*\n(    .*\n)?( +[\^~]+\n)?', "", s)
    print(s, r)


text(1)
text(2)
