-- An erasure deletes what is kept for its person.
create index content_subject on ops.content (workspace_id, subject);
