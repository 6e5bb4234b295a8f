-- A workspace asks how many dead letters of its own are open: without this index the question walks over those of all workspaces.
create index if not exists dead_letter_of_workspace on ops.dead_letter (workspace_id) where state in ('open', 'redriving');
