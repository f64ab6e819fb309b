"""Names of word orders and properties in the authors' older files; the metric reads them too."""

from metrics.subject_object_las.layouts import CHANGES as CHANGES
from metrics.subject_object_las.layouts import FINAL as FINAL
from metrics.subject_object_las.layouts import detect_scheme as detect_scheme
from metrics.subject_object_las.layouts import final_labels as final_labels
from metrics.subject_object_las.layouts import scheme_labels as scheme_labels
from metrics.subject_object_las.layouts import schemes as schemes
