"""scikit-learn's own tests of support vector machines, run with our classes in place of theirs."""

from types import SimpleNamespace

from sklearn import svm

import suffice as sf
from sklearn_suite import Suite

_WEIGHTS = "weights must not be negative, and some must be above 0; the words are our own"
_DEPRECATED = "probabilities are here to stay, and nothing warns of them"
DIFFERENT = {
    "test_svr_errors": "a kernel of a wrong shape is refused when the model is fitted already",
    "test_tweak_params": "`dual_coef_` decides; there is no private copy of it",
    "test_negative_sample_weights_mask_all_samples*": _WEIGHTS,
    "test_negative_weights_svc_leave_just_one_label*": _WEIGHTS,
    "test_negative_weight*partial-mask-label-1*": _WEIGHTS,
    "test_bad_input*": "a model that was fitted to dense rows takes sparse ones too",
    "test_svc_nonfinite_params": "the words are our own",
    "test_sparse_precomputed*": "a sparse kernel matrix is made dense",
    "test_sparse_fit_support_vectors_empty*": "`dual_coef_` is a plain array, of sparse rows too",
    "test_libsvm_convergence_warnings": "the words are our own",
    "test_hasattr_predict_proba": "the fit decides whether there are probabilities, as in every estimator here",
    "test_svc_ovr_tie_breaking*": "rows far from all others have decisions of 0 exactly, so that every rule ties",
    "test_gamma_scale": "`_gamma` is private; the kernel of the fit has it",
    "test_custom_kernel_not_array_input*": "rows are numbers; a kernel of texts is given as its matrix",
    "test_svc_raises_error_internal_representation": "it tampers with private attributes",
    "test_probability_raises_futurewarning*": _DEPRECATED,
    "test_svc_nusvc_probA_probB_deprecated*": _DEPRECATED,
}
CLASSES = ("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM")
OURS = {name: getattr(sf, name) for name in CLASSES}
OURS["svm"] = SimpleNamespace(**{name: OURS.get(name, getattr(svm, name)) for name in (*svm.__all__, "__name__")})
SUITE = Suite("svm/tests/test_svm.py", OURS, DIFFERENT, (*CLASSES, "svm"), warns=True)
globals().update(SUITE.collected())
