"""Names of word orders and properties in the authors' older files; the metric reads them too."""

from metrics.subject_object_las.inputs import CHANGES as CHANGES
from metrics.subject_object_las.inputs import FINAL as FINAL
from metrics.subject_object_las.inputs import detect_scheme as detect_scheme
from metrics.subject_object_las.inputs import final_labels as final_labels
from metrics.subject_object_las.inputs import scheme_labels as scheme_labels
from metrics.subject_object_las.inputs import schemes as schemes
