# Tells what a Python environment holds and what its frameworks make of CUDA: one JSON object a
# line, so that what was found before a crash or a hang is not lost. The arguments are the modules
# to import. What a framework prints goes to standard error. Old Pythons, 2.7 too, get through it.
import sys

# The current folder: a json.py or a torch that lies there is not the environment's.
sys.path[:] = [folder for folder in sys.path if folder]
import io
import json
import os

# What was printed before, as by a sitecustomize, is not the report: that begins behind \x02.
os.write(1, b"\n\x02\n")
out = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


def tell(step, **values):
    values["step"] = step
    out.write(json.dumps(values) + "\n")
    out.flush()


def text(value):
    """Of anything; bytes that are no text (paths have them) become \\udcNN."""
    if value is None:
        return None
    if isinstance(value, bytes):
        return value[:2000].decode("utf-8", "replace")
    return str(value)[:2000].encode("utf-8", "backslashreplace").decode("utf-8")


def attempt(action):
    """The result and no error, or nothing and the error."""
    try:
        return action(), None
    except BaseException as error:  # frameworks raise everything, SystemExit too
        return None, text("%s: %s" % (type(error).__name__, error))


def distributions():
    """By the names of their folders, which are right where what is in them is damaged."""
    told = set()
    for folder in sys.path:
        names, _ = attempt(lambda: sorted(os.listdir(folder)))
        for entry in names or []:
            stem, ending = os.path.splitext(entry)
            if ending not in (".dist-info", ".egg-info"):
                continue
            name, _, version = stem.partition("-")
            name = name.lower().replace("_", "-")
            # The first one on the path is the one that is imported.
            if name not in told and len(told) < 2000:
                told.add(name)
                tell("package", name=text(name), version=text(version.split("-py")[0]))


def tell_module(name):
    try:
        from importlib.util import find_spec
    except ImportError:  # before 3.4
        import pkgutil
        found = pkgutil.find_loader(name)
    else:
        found = find_spec(name)
        # A folder of that name without code in it is none.
        found = found and found.origin
    if found:
        tell("module", module=name)


def torch():
    import torch
    tell("framework", module="torch", version=text(torch.__version__),
         cuda=text(torch.version.cuda), file=text(torch.__file__))
    flags, _ = attempt(lambda: torch._C._cuda_getArchFlags())
    cudnn, refused = attempt(lambda: torch.backends.cudnn.version())
    tell("libraries", module="torch", architectures=text(flags), cudnn=text(cudnn), error=refused)
    available, error = attempt(torch.cuda.is_available)
    if available:
        count, error = attempt(torch.cuda.device_count)
        for index in range(count or 0):
            _, failed = attempt(lambda: torch.ones(1, device="cuda:%d" % index).add(1).item())
            capability, _ = attempt(lambda: "%d.%d" % torch.cuda.get_device_capability(index))
            tell("device", module="torch", name=text(torch.cuda.get_device_name(index)),
                 capability=capability, error=failed)
    elif error is None:
        _, error = attempt(torch.cuda.init)
    tell("cuda", module="torch", available=bool(available), error=error)


def tensorflow():
    import tensorflow
    build, _ = attempt(tensorflow.sysconfig.get_build_info)
    build = build or {}
    tell("framework", module="tensorflow", version=text(tensorflow.__version__),
         cuda=text(build.get("cuda_version")) if build.get("is_cuda_build", True) else None,
         file=text(tensorflow.__file__))
    tell("libraries", module="tensorflow", architectures=None,
         cudnn=text(build.get("cudnn_version")), error=None)
    devices, error = attempt(lambda: tensorflow.config.list_physical_devices("GPU"))
    for one in devices or []:
        tell("device", module="tensorflow", name=text(one.name), capability=None, error=None)
    tell("cuda", module="tensorflow", available=bool(devices), error=error)


def jax_built_for(name):
    """Of its plugin: 12080 is CUDA 12.8."""
    from jax._src.lib import cuda_versions
    return getattr(cuda_versions, name)()


def jax():
    import jax
    cuda, _ = attempt(lambda: jax_built_for("cuda_runtime_build_version"))
    cudnn, _ = attempt(lambda: jax_built_for("cudnn_build_version"))
    tell("framework", module="jax", version=text(jax.__version__),
         cuda="%d.%d" % (cuda // 1000, cuda % 1000 // 10) if cuda else None,
         file=text(jax.__file__))
    tell("libraries", module="jax", architectures=None, cudnn=text(cudnn), error=None)
    devices, error = attempt(lambda: jax.devices("cuda"))
    for one in devices or []:
        tell("device", module="jax", name=text(one.device_kind),
             capability=text(getattr(one, "compute_capability", None)), error=None)
    tell("cuda", module="jax", available=bool(devices), error=error)


def loaded():
    with io.open("/proc/self/maps", errors="replace") as maps:
        paths = {line.split(None, 5)[5].strip() for line in maps if len(line.split(None, 5)) > 5}
    names = ("libcu", "libnv", "libnccl")
    for path in sorted(paths):
        if os.path.basename(path).startswith(names) and ".so" in path:
            tell("loaded", path=text(path))


tell("python", version="%d.%d.%d" % sys.version_info[:3], executable=text(sys.executable),
     prefix=text(sys.prefix))
attempt(distributions)
frameworks = {"torch": torch, "tensorflow": tensorflow, "jax": jax}
for module in frameworks:
    attempt(lambda: tell_module(module))
for module in sys.argv[1:]:
    tell("import", module=module)
    _, failed = attempt(frameworks[module])
    if failed:
        tell("failed", module=module, error=failed)
attempt(loaded)
tell("end")
out.flush()
# A framework's own end may hang or crash, and that is not asked.
os._exit(0)
