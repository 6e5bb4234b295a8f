-- The pages of a workspace's dead letters, newest first. With the index of before, each page sorted all that the workspace has, or walked over those of all others.
create index dead_letter_newest_of_workspace on ops.dead_letter (workspace_id, last_seen_at desc, id) where state in ('open', 'redriving');
drop index if exists ops.dead_letter_of_workspace;
