"""The statements that read a Galaxy database: plain SQL that PostgreSQL and SQLite both run."""

from __future__ import annotations

#: The columns that an export needs. Galaxy has had them for years; `job.tool_state` and `job.job_messages` are read where they are there.
COLUMNS = {
    "job": (
        "id create_time update_time history_id tool_id tool_version dynamic_tool_id state user_id job_runner_name "
        "destination_id destination_params object_store_id imported handler exit_code copied_from_job_id info"
    ),
    "job_parameter": "id job_id name value",
    "job_state_history": "id job_id create_time state info",
    "job_metric_numeric": "job_id plugin metric_name metric_value",
    "job_to_input_dataset": "id job_id dataset_id name",
    "history_dataset_association": "id dataset_id extension metadata",
    "dataset": "id file_size object_store_id",
    "history_dataset_collection_association": "id collection_id",
    "dataset_collection_element": "id dataset_collection_id element_index hda_id child_collection_id",
    "galaxy_user": "id email username create_time",
    "user_preference": "user_id name value",
    "user_role_association": "id user_id role_id",
    "user_group_association": "id user_id group_id",
    "group_role_association": "id group_id role_id",
    "role": "id name deleted",
    "history": "id name",
    "history_tag_association": "id history_id user_tname user_value",
    "dynamic_tool": "id uuid",
}

# `update_time` is indexed, `create_time` is not; no job is updated before it is created, but the two are written by clocks
# that may differ, and so `:updated_since` lies a day before `:since`. Adding 0 keeps PostgreSQL from walking the primary
# key from its beginning to the first job that is recent enough.
RANGE = """
SELECT min(j.id + 0) AS first, max(j.id + 0) AS last, count(*) AS jobs
FROM job j
WHERE (j.update_time >= :updated_since OR j.update_time IS NULL) AND j.create_time >= :since AND j.create_time < :until"""

JOBS = """
SELECT j.id, j.create_time, j.update_time, j.state, j.tool_id, j.tool_version, j.user_id, j.history_id, j.destination_id,
       j.destination_params, j.job_runner_name, j.exit_code, j.object_store_id, j.handler, j.imported, j.copied_from_job_id, j.info,
       {tool_state} AS tool_state, {job_messages} AS job_messages, u.id AS known_user_id, u.email, u.username, u.create_time AS user_create_time,
       h.id AS known_history_id, h.name AS history_name, d.uuid AS dynamic_tool_uuid
FROM job j
LEFT JOIN galaxy_user u ON u.id = j.user_id
LEFT JOIN history h ON h.id = j.history_id
LEFT JOIN dynamic_tool d ON d.id = j.dynamic_tool_id
WHERE j.id > :after AND j.id <= :last AND j.create_time >= :since AND j.create_time < :until
ORDER BY j.id LIMIT :limit"""

PARAMETERS = "SELECT job_id, name, value FROM job_parameter WHERE job_id IN :ids ORDER BY id"

# An input twice is two rows, as Galaxy records it.
INPUTS = """
SELECT i.job_id, i.name, a.id AS hda_id, a.extension, {metadata} AS metadata, s.id AS dataset_id, s.file_size, s.object_store_id
FROM job_to_input_dataset i
JOIN history_dataset_association a ON a.id = i.dataset_id
JOIN dataset s ON s.id = a.dataset_id
WHERE i.job_id IN :ids ORDER BY i.id"""

HISTORY_COLLECTIONS = "SELECT id, collection_id FROM history_dataset_collection_association WHERE id IN :ids"
ELEMENTS = "SELECT id, hda_id, child_collection_id FROM dataset_collection_element WHERE id IN :ids"
COLLECTIONS = """
SELECT dataset_collection_id AS id, hda_id, child_collection_id
FROM dataset_collection_element WHERE dataset_collection_id IN :ids
ORDER BY dataset_collection_id, element_index, id"""

# As `User.all_roles`: those given to the user, then those of their groups.
ROLES = """
SELECT ura.user_id, r.id AS role_id, r.name, r.deleted, 0 AS part, ura.id AS place
FROM user_role_association ura JOIN role r ON r.id = ura.role_id
WHERE ura.user_id IN :ids
UNION ALL
SELECT uga.user_id, r.id, r.name, r.deleted, uga.id, gra.id
FROM user_group_association uga
JOIN group_role_association gra ON gra.group_id = uga.group_id
JOIN role r ON r.id = gra.role_id
WHERE uga.user_id IN :ids
ORDER BY 1, 5, 6"""

PREFERENCES = "SELECT user_id, value FROM user_preference WHERE user_id IN :ids AND name = 'extra_user_preferences'"
TAGS = "SELECT history_id, user_tname, user_value FROM history_tag_association WHERE history_id IN :ids ORDER BY id"
METRICS = "SELECT job_id, plugin, metric_name, metric_value FROM job_metric_numeric WHERE job_id IN :ids ORDER BY id"
JOB_STATES = "SELECT job_id, state, create_time, info FROM job_state_history WHERE job_id IN :ids ORDER BY id"

# What was not over at that moment, and what has changed since.
WORLD_JOBS = """
SELECT j.id, j.tool_id, j.user_id, j.state, j.destination_id
FROM job j
WHERE j.create_time <= :moment AND (j.state IN :active OR j.update_time > :moment)
ORDER BY j.id"""
STATES = "SELECT job_id, state FROM job_state_history WHERE job_id IN :ids AND create_time <= :moment ORDER BY id"
