from . import contracts as contracts
from . import datasets as datasets
from .backend import threads as threads
from .data import as_source as as_source
from .data.scan import scan as scan
from .engine import Trace as Trace
from .engine import limits as limits
from .engine import progress as progress
from .engine import recording as recording
from .models.bayes import GaussianNB as GaussianNB
from .models.cluster import KMeans as KMeans
from .models.linear import LinearRegression as LinearRegression
from .models.linear import Ridge as Ridge
from .models.prepare import Standardize as Standardize
from .models.projection import PCA as PCA
from .models.projection import Whiten as Whiten
from .report import describe as describe

__version__: str
