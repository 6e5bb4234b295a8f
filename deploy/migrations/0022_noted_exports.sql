-- Finds the exports and proofs that were asked for among all that was noted (M113).
create index noted_act_exports on ops.noted_act (workspace_id, place) where what in ('export', 'proof');
