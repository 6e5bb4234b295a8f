create table es.append_lock (
  rows boolean not null,
  constraint append_lock_rows_check CHECK ((rows IS NULL))
);

create table es.event (
  "position" bigint not null,
  stream_id text collate "C" not null,
  revision integer not null,
  event_id uuid not null,
  type text collate "C" not null,
  data text not null,
  meta text not null,
  created timestamp with time zone not null,
  constraint event_pkey PRIMARY KEY ("position")
) with (toast_tuple_target=4080);
CREATE UNIQUE INDEX event_id_once ON es.event USING btree (event_id);
CREATE UNIQUE INDEX event_stream_revision ON es.event USING btree (stream_id, revision);

create table es.event_trace (
  id uuid not null,
  traceparent text collate "C" not null,
  at timestamp with time zone default clock_timestamp() not null,
  constraint event_trace_pkey PRIMARY KEY (id)
);
CREATE INDEX event_trace_at ON es.event_trace USING btree (at);

create table es.stream_meta (
  stream_id text collate "C" not null,
  tombstoned boolean default false not null,
  deleted_before integer default 0 not null,
  truncate_before integer,
  max_count integer,
  max_age_seconds integer,
  constraint stream_meta_pkey PRIMARY KEY (stream_id)
);

create table inbox.bundle (
  kind text collate "C" not null,
  token bigint not null,
  workspace_id uuid not null,
  lanes bigint[] not null,
  seqs bigint[] not null,
  payloads text[] not null,
  due_at timestamp with time zone not null,
  admitted_at timestamp with time zone not null,
  constraint bundle_pkey PRIMARY KEY (kind, token, workspace_id)
) with (toast_tuple_target=8160, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_cost_delay=0, autovacuum_vacuum_insert_scale_factor=0, autovacuum_vacuum_insert_threshold=100000, autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=20000);

create table inbox.claims_remembered (
  only_row boolean default true not null,
  since timestamp with time zone not null,
  constraint claims_remembered_only_row_check CHECK (only_row),
  constraint claims_remembered_pkey PRIMARY KEY (only_row)
) with (unlogged);

create table inbox.job (
  kind text collate "C" not null,
  lane bigint not null,
  seq bigint not null,
  workspace_id uuid not null,
  payload text not null,
  attempt smallint default 0 not null,
  due_at timestamp with time zone,
  token bigint,
  aside boolean default false not null,
  deferred_for text collate "C",
  deferred_by uuid,
  claimed_before boolean default false not null,
  handed_to text collate "C",
  last_error text,
  admitted_at timestamp with time zone default clock_timestamp() not null,
  constraint job_check CHECK (((deferred_by IS NULL) OR (deferred_for = ANY (ARRAY['quiet_hours'::text, 'campaign_paused'::text, 'flow_paused'::text])))),
  constraint job_deferred_for_check CHECK ((deferred_for = ANY (ARRAY['retry'::text, 'fault'::text, 'dependency_away'::text, 'shutdown'::text, 'taken_over'::text, 'outcome_unrecorded'::text, 'answer_missing'::text, 'provider_outage'::text, 'own_provider_outage'::text, 'workspace_suspended'::text, 'quiet_hours'::text, 'campaign_paused'::text, 'flow_paused'::text, 'read_side_behind'::text, 'address_changed'::text, 'browsers_changed'::text, 'no_free_slot'::text, 'wallet_busy'::text, 'mailbox_capped'::text, 'due_time'::text, 'next_pass'::text]))),
  constraint job_pkey PRIMARY KEY (kind, lane, seq)
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0, autovacuum_vacuum_insert_scale_factor=0, autovacuum_vacuum_insert_threshold=100000, autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=20000);
CREATE INDEX job_age ON inbox.job USING btree (kind, admitted_at) WHERE (admitted_at > '-infinity'::timestamp with time zone);
CREATE INDEX job_aside ON inbox.job USING btree (kind, workspace_id, deferred_for, deferred_by, seq) WHERE aside;
CREATE INDEX job_claimed ON inbox.job USING btree (kind, lane, due_at) WHERE (token IS NOT NULL);
CREATE INDEX job_deferred ON inbox.job USING btree (kind, deferred_for) WHERE (deferred_for IS NOT NULL);
CREATE INDEX job_due ON inbox.job USING btree (kind, workspace_id, due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX job_retried ON inbox.job USING btree (kind) WHERE (attempt > 0);
CREATE INDEX job_retrying ON inbox.job USING btree (kind, workspace_id, due_at) WHERE (attempt > 0);

create table inbox.suspended_workspace (
  kind text collate "C" not null,
  workspace_id uuid not null,
  suspended_until timestamp with time zone not null,
  constraint suspended_workspace_pkey PRIMARY KEY (kind, workspace_id)
) with (unlogged, fillfactor=50);

create table keys.ended_details (
  workspace_id uuid not null,
  kind text not null,
  until date not null,
  ended_at timestamp with time zone default clock_timestamp() not null,
  cleared_until date,
  constraint ended_details_kind_check CHECK ((kind = ANY (ARRAY['client'::text, 'content'::text]))),
  constraint ended_details_pkey PRIMARY KEY (workspace_id, kind),
  constraint ended_details_until_check CHECK ((EXTRACT(isodow FROM until) = (1)::numeric))
);

create table keys.ended_passcodes (
  only_row boolean default true not null,
  until text collate "C" not null,
  begun_at timestamp with time zone default clock_timestamp() not null,
  constraint ended_passcodes_only_row_check CHECK (only_row),
  constraint ended_passcodes_pkey PRIMARY KEY (only_row)
);

create table keys.holder (
  process uuid not null,
  master_key text not null,
  heard_at timestamp with time zone default clock_timestamp() not null,
  constraint holder_pkey PRIMARY KEY (process)
) with (unlogged);

create table keys.master_key (
  id text not null,
  check_value bytea not null,
  replaces text,
  sealed bytea,
  created_at timestamp with time zone default now() not null,
  retired_at timestamp with time zone,
  constraint master_key_check CHECK (((replaces IS NULL) = (sealed IS NULL))),
  constraint master_key_pkey PRIMARY KEY (id)
);

create table keys.purpose_key (
  master_key_id text not null,
  purpose text not null,
  wrapped bytea not null,
  constraint purpose_key_pkey PRIMARY KEY (master_key_id, purpose)
);

create table keys.subject_key (
  workspace_id uuid not null,
  subject text collate "C" not null,
  version integer not null,
  wrapped bytea,
  created_at timestamp with time zone default now() not null,
  shredded_at timestamp with time zone,
  constraint subject_key_check CHECK (((wrapped IS NULL) = (shredded_at IS NOT NULL))),
  constraint subject_key_pkey PRIMARY KEY (workspace_id, subject, version)
);
CREATE INDEX subject_key_ended_passcodes ON keys.subject_key USING btree (subject) WHERE ((subject ~~ 'passcode:%'::text) AND (shredded_at IS NOT NULL));
CREATE INDEX subject_key_passcodes ON keys.subject_key USING btree (created_at) WHERE ((subject ~~ 'passcode:%'::text) AND (shredded_at IS NULL));

create table keys.workspace_secret (
  workspace_id uuid not null,
  wrapped bytea not null,
  created_at timestamp with time zone default now() not null,
  constraint workspace_secret_pkey PRIMARY KEY (workspace_id)
);

create table lists.due (
  workspace_id uuid not null,
  contact_id uuid not null,
  due_at timestamp with time zone not null,
  constraint due_pkey PRIMARY KEY (workspace_id, contact_id)
) with (fillfactor=90);
CREATE INDEX due_at ON lists.due USING btree (due_at);

create table lists.rule (
  workspace_id uuid not null,
  list_id uuid not null,
  version integer not null,
  rule jsonb not null,
  is_timed boolean not null,
  since_version integer,
  since_commit bigint,
  since_prepare bigint,
  since_at timestamp with time zone,
  earlier jsonb default '[]'::jsonb not null,
  constraint rule_pkey PRIMARY KEY (workspace_id, list_id)
);

create table lists.rule_fact (
  workspace_id uuid not null,
  fact text collate "C" not null,
  list_id uuid not null,
  constraint rule_fact_pkey PRIMARY KEY (workspace_id, fact, list_id)
);

create table lists.run (
  workspace_id uuid not null,
  list_id uuid not null,
  version integer not null,
  is_ready boolean default false not null,
  after uuid default '00000000-0000-0000-0000-000000000000'::uuid not null,
  contacts bigint default 0 not null,
  changes bigint default 0 not null,
  started_at timestamp with time zone default clock_timestamp() not null,
  touched_at timestamp with time zone default clock_timestamp() not null,
  finished_at timestamp with time zone,
  constraint run_pkey PRIMARY KEY (workspace_id, list_id)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500);
CREATE INDEX run_open ON lists.run USING btree (touched_at) WHERE (finished_at IS NULL);

create table ops.analyst_role (
  role name not null,
  schema name not null,
  constraint analyst_role_pkey PRIMARY KEY (role)
);

create table ops.api_key_usage (
  key_id uuid not null,
  workspace_id uuid not null,
  last_used_at timestamp with time zone not null,
  constraint api_key_usage_pkey PRIMARY KEY (key_id)
);
CREATE INDEX api_key_usage_workspace ON ops.api_key_usage USING btree (workspace_id);

create table ops.bounce_mailbox (
  mailbox text not null,
  owner text,
  epoch bigint default 0 not null,
  expires_at timestamp with time zone,
  uid_validity bigint default 0 not null,
  last_uid bigint default 0 not null,
  constraint bounce_mailbox_pkey PRIMARY KEY (mailbox)
);

create table ops.campaign_recipient (
  workspace_id uuid not null,
  campaign_id uuid not null,
  contact_id uuid not null,
  constraint campaign_recipient_pkey PRIMARY KEY (workspace_id, campaign_id, contact_id)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=20000);

create table ops.campaign_run (
  campaign_id uuid not null,
  workspace_id uuid not null,
  due_at timestamp with time zone not null,
  wakes bigint default 0 not null,
  waits_for text,
  recipients integer,
  after uuid default '00000000-0000-0000-0000-000000000000'::uuid not null,
  begun bigint default 0 not null,
  admitted_by text collate "C",
  ahead integer default 0 not null,
  accepted boolean default false not null,
  refused integer default 0 not null,
  refusing_since timestamp with time zone,
  refused_tries integer default 0 not null,
  refused_seen integer default 0 not null,
  suspended_since timestamp with time zone,
  owner text,
  epoch bigint default 0 not null,
  expires_at timestamp with time zone,
  touched_at timestamp with time zone default clock_timestamp() not null,
  constraint campaign_run_pkey PRIMARY KEY (campaign_id)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500);
CREATE INDEX campaign_run_due ON ops.campaign_run USING btree (due_at);

create table ops.confirmation_domain (
  workspace_id uuid not null,
  domain text not null,
  filled double precision default 0 not null,
  filled_at timestamp with time zone default '-infinity'::timestamp with time zone not null,
  confirmed double precision default 0 not null,
  confirmed_at timestamp with time zone default '-infinity'::timestamp with time zone not null,
  ends timestamp with time zone default '-infinity'::timestamp with time zone not null,
  constraint confirmation_domain_pkey PRIMARY KEY (workspace_id, domain)
) with (fillfactor=70);
CREATE INDEX confirmation_domain_ends ON ops.confirmation_domain USING btree (ends);

create table ops.confirmation_mailbox (
  mailbox text not null,
  ends timestamp with time zone not null,
  sent integer not null,
  constraint confirmation_mailbox_pkey PRIMARY KEY (mailbox)
) with (fillfactor=70);
CREATE INDEX confirmation_mailbox_ends ON ops.confirmation_mailbox USING btree (ends);

create table ops.consumer_checkpoint (
  consumer_group text collate "C" not null,
  position_commit bigint not null,
  position_prepare bigint not null,
  owner uuid,
  epoch bigint default 0 not null,
  lease_until timestamp with time zone,
  relay uuid,
  updated_at timestamp with time zone default now() not null,
  constraint consumer_checkpoint_pkey PRIMARY KEY (consumer_group)
);

create table ops.consumer_partition (
  consumer_group text collate "C" not null,
  partition integer not null,
  epoch bigint not null,
  position_commit bigint not null,
  position_prepare bigint not null,
  updated_at timestamp with time zone default now() not null,
  constraint consumer_partition_pkey PRIMARY KEY (consumer_group, partition)
) with (fillfactor=50);

create table ops.content (
  workspace_id uuid not null,
  id uuid not null,
  subject text collate "C" not null,
  sealed bytea not null,
  created_at timestamp with time zone default now() not null,
  constraint content_pkey PRIMARY KEY (workspace_id, id)
);
CREATE INDEX content_created_at ON ops.content USING btree (created_at);
CREATE INDEX content_subject ON ops.content USING btree (workspace_id, subject);

create table ops.dashboard_job (
  id uuid not null,
  projection text not null,
  act text not null,
  asked_by text not null,
  asked_at timestamp with time zone default clock_timestamp() not null,
  state text default 'waiting'::text not null,
  done double precision default 0 not null,
  total double precision default 0 not null,
  result jsonb,
  error text,
  alive_at timestamp with time zone,
  ended_at timestamp with time zone,
  constraint dashboard_job_pkey PRIMARY KEY (id)
) with (fillfactor=70);
CREATE INDEX dashboard_job_by_projection ON ops.dashboard_job USING btree (projection, asked_at DESC);
CREATE UNIQUE INDEX dashboard_job_open ON ops.dashboard_job USING btree (projection) WHERE (state = ANY (ARRAY['waiting'::text, 'running'::text]));

create table ops.dead_letter (
  id uuid default gen_random_uuid() not null,
  source text collate "C" not null,
  consumer text collate "C" not null,
  workspace_id uuid,
  reference text not null,
  after_commit bigint,
  after_prepare bigint,
  lane bigint,
  seq bigint,
  payload text,
  handed_to text collate "C",
  error_class text not null,
  error text not null,
  attempts integer default 1 not null,
  state text collate "C" default 'open'::text not null,
  note text,
  first_seen_at timestamp with time zone default now() not null,
  last_seen_at timestamp with time zone default now() not null,
  constraint dead_letter_pkey PRIMARY KEY (id),
  constraint dead_letter_source_check CHECK ((source = ANY (ARRAY['event'::text, 'job'::text, 'record'::text]))),
  constraint dead_letter_state_check CHECK ((state = ANY (ARRAY['open'::text, 'redriving'::text, 'redriven'::text, 'discarded'::text])))
);
CREATE INDEX dead_letter_newest ON ops.dead_letter USING btree (last_seen_at DESC, id) WHERE (state = ANY (ARRAY['open'::text, 'redriving'::text]));
CREATE INDEX dead_letter_newest_of_workspace ON ops.dead_letter USING btree (workspace_id, last_seen_at DESC, id) WHERE (state = ANY (ARRAY['open'::text, 'redriving'::text]));
CREATE UNIQUE INDEX dead_letter_reference ON ops.dead_letter USING btree (consumer, reference);

create table ops.erasure (
  workspace_id uuid not null,
  contact_id uuid not null,
  admitted_at timestamp with time zone default clock_timestamp() not null,
  finished_at timestamp with time zone,
  cleared jsonb default '{}'::jsonb not null,
  constraint erasure_pkey PRIMARY KEY (workspace_id, contact_id)
);
CREATE INDEX erasure_unfinished ON ops.erasure USING btree (admitted_at) WHERE (finished_at IS NULL);

create table ops.flow_message (
  message_id uuid not null,
  workspace_id uuid not null,
  flow_id uuid not null,
  contact_id uuid not null,
  constraint flow_message_pkey PRIMARY KEY (message_id)
);

create table ops.form_confirmation (
  workspace_id uuid not null,
  address text not null,
  ends timestamp with time zone not null,
  sent integer not null,
  constraint form_confirmation_pkey PRIMARY KEY (workspace_id, address)
) with (fillfactor=70);
CREATE INDEX form_confirmation_ends ON ops.form_confirmation USING btree (ends);

create table ops.idempotency (
  workspace_id uuid not null,
  method text not null,
  path text not null,
  key text not null,
  body_hash bytea not null,
  command_id uuid not null,
  lease_until timestamp with time zone not null,
  status smallint,
  answer bytea,
  expires_at timestamp with time zone not null,
  constraint idempotency_pkey PRIMARY KEY (workspace_id, key, method, path)
);
CREATE INDEX idempotency_expiry ON ops.idempotency USING btree (expires_at);

create table ops.inbound_text (
  seq bigint generated as identity not null,
  number_key text not null,
  id_key text not null,
  is_stop boolean not null,
  head_commit bigint,
  head_prepare bigint,
  sealed bytea not null,
  tries integer default 0 not null,
  due_at timestamp with time zone default clock_timestamp() not null,
  constraint inbound_text_id_key_key UNIQUE (id_key),
  constraint inbound_text_pkey PRIMARY KEY (seq)
);
CREATE INDEX inbound_text_due ON ops.inbound_text USING btree (due_at);
CREATE INDEX inbound_text_number ON ops.inbound_text USING btree (number_key, seq);

create table ops.link_mails (
  workspace_id uuid not null,
  ends timestamp with time zone not null,
  sent integer not null,
  constraint link_mails_pkey PRIMARY KEY (workspace_id)
) with (fillfactor=70);

create table ops.log_mark (
  single boolean default true not null,
  position_commit bigint not null,
  position_prepare bigint not null,
  event_id uuid not null,
  updated_at timestamp with time zone default now() not null,
  constraint log_mark_pkey PRIMARY KEY (single),
  constraint log_mark_single_check CHECK (single)
) with (fillfactor=50);

create table ops.marketing_message (
  workspace_id uuid not null,
  contact_id uuid not null,
  channel text collate "C" not null,
  message_id uuid not null,
  passed_at timestamp with time zone default clock_timestamp() not null,
  constraint marketing_message_pkey PRIMARY KEY (workspace_id, contact_id, channel, message_id)
);
CREATE INDEX marketing_message_age ON ops.marketing_message USING btree (passed_at);

create table ops.noted_act (
  workspace_id uuid not null,
  place text collate "C" not null,
  at timestamp with time zone not null,
  actor text not null,
  what text not null,
  thing text,
  request_id text not null,
  constraint noted_act_pkey PRIMARY KEY (workspace_id, place)
);
CREATE INDEX noted_act_by_actor ON ops.noted_act USING btree (workspace_id, actor, place);
CREATE INDEX noted_act_exports ON ops.noted_act USING btree (workspace_id, place) WHERE (what = ANY (ARRAY['export'::text, 'proof'::text]));

create table ops.parked_stream (
  projection text collate "C" not null,
  stream text collate "C" not null,
  revision integer not null,
  position_commit bigint not null,
  position_prepare bigint not null,
  event_id uuid not null,
  event_type text not null,
  workspace_id uuid not null,
  error text not null,
  parked_at timestamp with time zone default now() not null,
  redrive_requested_at timestamp with time zone,
  constraint parked_stream_pkey PRIMARY KEY (projection, stream)
);

create table ops.passcode_number (
  workspace_id uuid not null,
  number text collate "C" not null,
  sent bigint[] not null,
  last_at bigint not null,
  constraint passcode_number_pkey PRIMARY KEY (workspace_id, number)
) with (fillfactor=70);
CREATE INDEX passcode_number_last ON ops.passcode_number USING btree (last_at);

create table ops.passcode_window (
  workspace_id uuid not null,
  prefix text collate "C" not null,
  ends bigint not null,
  used integer not null,
  constraint passcode_window_pkey PRIMARY KEY (workspace_id, prefix)
) with (fillfactor=50);
CREATE INDEX passcode_window_ends ON ops.passcode_window USING btree (ends);

create table ops.people_import (
  workspace_id uuid not null,
  digest text not null,
  run_id uuid not null,
  counts jsonb not null,
  started_at timestamp with time zone default clock_timestamp() not null,
  touched_at timestamp with time zone default clock_timestamp() not null,
  constraint people_import_pkey PRIMARY KEY (workspace_id, digest)
) with (fillfactor=50);

create table ops.process (
  id uuid not null,
  role text not null,
  started_at timestamp with time zone not null,
  heartbeat_at timestamp with time zone not null,
  position_commit bigint not null,
  position_prepare bigint not null,
  constraint process_pkey PRIMARY KEY (id)
) with (fillfactor=50);

create table ops.projection_build (
  projection text collate "C" not null,
  generation text not null,
  version integer not null,
  position_commit bigint not null,
  position_prepare bigint not null,
  tables text[] not null,
  parked jsonb not null,
  built_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone,
  constraint projection_build_generation_check CHECK ((generation = ANY (ARRAY['next'::text, 'previous'::text]))),
  constraint projection_build_pkey PRIMARY KEY (projection, generation)
);

create table ops.projection_checkpoint (
  projection text collate "C" not null,
  version integer not null,
  epoch bigint not null,
  position_commit bigint not null,
  position_prepare bigint not null,
  updated_at timestamp with time zone default now() not null,
  constraint projection_checkpoint_pkey PRIMARY KEY (projection)
) with (fillfactor=50);

create table ops.projection_lease (
  projection text collate "C" not null,
  owner text not null,
  epoch bigint not null,
  expires_at timestamp with time zone not null,
  constraint projection_lease_pkey PRIMARY KEY (projection)
) with (fillfactor=50);

create table ops.projection_status (
  projection text collate "C" not null,
  owner text not null,
  state text not null,
  lag_events bigint,
  lag_seconds double precision,
  rate double precision,
  eta_seconds double precision,
  failure jsonb,
  heartbeat_at timestamp with time zone not null,
  constraint projection_status_pkey PRIMARY KEY (projection)
) with (fillfactor=50);

create table ops.rate_window (
  key uuid not null,
  ends bigint not null,
  used integer not null,
  reserved integer not null,
  blocked bigint not null,
  constraint rate_window_pkey PRIMARY KEY (key)
) with (unlogged, fillfactor=50);

create table ops.relay (
  topic text collate "C" not null,
  id uuid default gen_random_uuid() not null,
  partitions integer not null,
  types text[] not null,
  position_commit bigint not null,
  position_prepare bigint not null,
  owner uuid,
  epoch bigint default 0 not null,
  lease_until timestamp with time zone,
  updated_at timestamp with time zone default now() not null,
  constraint relay_pkey PRIMARY KEY (topic)
) with (fillfactor=50);

create table ops.relay_partition (
  topic text collate "C" not null,
  partition integer not null,
  position_commit bigint not null,
  position_prepare bigint not null,
  constraint relay_partition_pkey PRIMARY KEY (topic, partition),
  constraint relay_partition_topic_fkey FOREIGN KEY (topic) REFERENCES ops.relay(topic) ON DELETE CASCADE
) with (fillfactor=50);

create table ops.send_rate (
  name text not null,
  next bigint not null,
  constraint send_rate_pkey PRIMARY KEY (name)
) with (unlogged, fillfactor=50);

create table ops.sender_domain_check (
  workspace_id uuid not null,
  domain text not null,
  proof_asked_at timestamp with time zone,
  listing_asked_at timestamp with time zone,
  looked_up_at timestamp with time zone,
  found jsonb,
  constraint sender_domain_check_pkey PRIMARY KEY (workspace_id, domain)
);

create table ops.session (
  token_hash bytea not null,
  workspace_id uuid not null,
  user_id uuid not null,
  credential bytea not null,
  suspensions integer not null,
  created_at timestamp with time zone default now() not null,
  used_at timestamp with time zone default now() not null,
  operator boolean default false not null,
  id uuid default gen_random_uuid() not null,
  by_link boolean default false not null,
  ip text,
  agent text,
  constraint session_pkey PRIMARY KEY (token_hash)
) with (fillfactor=70);
CREATE INDEX session_of_user ON ops.session USING btree (workspace_id, user_id, used_at);
CREATE INDEX session_used ON ops.session USING btree (used_at);
CREATE UNIQUE INDEX session_id ON ops.session USING btree (id);

create table ops.sign_in_failure (
  whom bytea not null,
  failed bigint[] not null,
  last_at bigint not null,
  constraint sign_in_failure_pkey PRIMARY KEY (whom)
) with (unlogged, fillfactor=70);
CREATE INDEX sign_in_failure_last ON ops.sign_in_failure USING btree (last_at);

create table ops.sign_in_link (
  token_hash bytea not null,
  workspace_id uuid not null,
  user_id uuid not null,
  credential bytea not null,
  operator boolean default false not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint sign_in_link_pkey PRIMARY KEY (token_hash)
);
CREATE INDEX sign_in_link_expires ON ops.sign_in_link USING btree (expires_at);
CREATE INDEX sign_in_link_of_user ON ops.sign_in_link USING btree (workspace_id, user_id, created_at);

create table ops.sms_part (
  part_id text not null,
  provider text not null,
  submission uuid not null,
  workspace_id uuid not null,
  message_id uuid not null,
  is_delivered boolean default false not null,
  at timestamp with time zone default now() not null,
  constraint sms_part_pkey PRIMARY KEY (part_id, submission)
) with (fillfactor=90);
CREATE INDEX sms_part_at ON ops.sms_part USING btree (at);
CREATE INDEX sms_part_submission ON ops.sms_part USING btree (submission);

create table ops.task_lease (
  task text not null,
  owner text,
  epoch bigint default 0 not null,
  expires_at timestamp with time zone,
  constraint task_lease_pkey PRIMARY KEY (task)
);

create table outbox.message (
  seq bigint generated as identity not null,
  id uuid not null,
  workspace_id uuid not null,
  channel text collate "C" not null,
  recipient text not null,
  sender text not null,
  subject text,
  html text,
  text text,
  body text,
  headers jsonb,
  message_id uuid,
  at timestamp with time zone default clock_timestamp() not null,
  constraint message_id_key UNIQUE (id),
  constraint message_pkey PRIMARY KEY (seq)
) with (unlogged);
CREATE INDEX message_channel ON outbox.message USING btree (channel, seq);

create table proof.head (
  size bigint not null,
  root bytea not null,
  at timestamp with time zone not null,
  signature bytea not null,
  signed_at timestamp with time zone,
  anchored_at timestamp with time zone,
  constraint head_pkey PRIMARY KEY (size),
  constraint head_root_check CHECK ((length(root) = 32)),
  constraint head_signature_check CHECK ((length(signature) = 64)),
  constraint head_size_check CHECK ((size > 0))
);

create table proof.tile (
  level smallint not null,
  index bigint not null,
  hashes bytea not null,
  position_commit bigint,
  position_prepare bigint,
  constraint tile_check CHECK (((level = 0) = ((position_commit IS NOT NULL) AND (position_prepare IS NOT NULL)))),
  constraint tile_hashes_check CHECK ((((length(hashes) >= 32) AND (length(hashes) <= 8192)) AND ((length(hashes) % 32) = 0))),
  constraint tile_pkey PRIMARY KEY (level, index)
);
CREATE INDEX tile_position ON proof.tile USING btree (position_commit, position_prepare) WHERE (level = 0);

create table proof.tree (
  single boolean default true not null,
  size bigint not null,
  position_commit bigint not null,
  position_prepare bigint not null,
  before_commit bigint not null,
  before_prepare bigint not null,
  created timestamp with time zone,
  constraint tree_pkey PRIMARY KEY (single),
  constraint tree_single_check CHECK (single),
  constraint tree_size_check CHECK ((size > 0))
) with (fillfactor=50);

create table proof.verification (
  single boolean default true not null,
  size bigint not null,
  position_commit bigint not null,
  position_prepare bigint not null,
  latest text,
  begun_at timestamp with time zone not null,
  open_tiles jsonb not null,
  problems jsonb not null,
  signature bytea,
  constraint verification_pkey PRIMARY KEY (single),
  constraint verification_single_check CHECK (single)
);

create table public.schema_migration (
  name text not null,
  sha256 text not null,
  applied_at timestamp with time zone default now() not null,
  constraint schema_migration_pkey PRIMARY KEY (name)
);

create table read.activity_facts (
  workspace_id uuid not null,
  contact_id uuid not null,
  event text collate "C" not null,
  count bigint not null,
  last_at timestamp with time zone not null,
  recent text collate "C" not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint activity_facts_pkey PRIMARY KEY (workspace_id, contact_id, event)
) with (fillfactor=80);

create table read.api_keys (
  workspace_id uuid not null,
  id uuid not null,
  name text collate "C" not null,
  prefix text collate "C" not null,
  hash text collate "C" not null,
  status text collate "C" not null,
  created_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint api_keys_pkey PRIMARY KEY (workspace_id, id)
) with (fillfactor=100);
CREATE INDEX api_keys_id ON read.api_keys USING btree (id);
CREATE UNIQUE INDEX api_keys_hash ON read.api_keys USING btree (hash);

create table read.audit (
  workspace_id uuid not null,
  place text collate "C" not null,
  at timestamp with time zone not null,
  actor text collate "C" not null,
  type text collate "C" not null,
  thing text collate "C",
  request_id text collate "C" not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint audit_pkey PRIMARY KEY (workspace_id, place)
) with (fillfactor=100);
CREATE INDEX audit_by_actor ON read.audit USING btree (workspace_id, actor, place);

create table read.campaign_queue (
  workspace_id uuid not null,
  message_id uuid not null,
  taken boolean not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint campaign_queue_pkey PRIMARY KEY (workspace_id, message_id)
) with (fillfactor=100);

create table read.campaign_responses (
  workspace_id uuid not null,
  message_id uuid not null,
  response text collate "C" not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint campaign_responses_pkey PRIMARY KEY (workspace_id, message_id, response)
) with (fillfactor=100);

create table read.campaign_results (
  workspace_id uuid not null,
  campaign_id uuid not null,
  variant integer not null,
  outcome text collate "C" not null,
  reason text collate "C" not null,
  messages bigint not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint campaign_results_pkey PRIMARY KEY (workspace_id, campaign_id, variant, outcome, reason)
) with (fillfactor=50);

create table read.campaigns (
  workspace_id uuid not null,
  id uuid not null,
  name text collate "C" not null,
  channel text collate "C" not null,
  status text collate "C" not null,
  tag_ids text[] not null,
  list_id uuid,
  template_id uuid,
  archived boolean not null,
  variants integer not null,
  schedule_at timestamp with time zone,
  sent_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint campaigns_pkey PRIMARY KEY (workspace_id, id)
) with (fillfactor=100);

create table read.clicked_messages (
  workspace_id uuid not null,
  message_id uuid not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint clicked_messages_pkey PRIMARY KEY (workspace_id, message_id)
) with (fillfactor=100);

create table read.consent_history (
  workspace_id uuid not null,
  contact_id uuid not null,
  revision integer not null,
  channel text collate "C" not null,
  from_status text collate "C" not null,
  to_status text collate "C" not null,
  source text collate "C" not null,
  at timestamp with time zone not null,
  actor text collate "C" not null,
  ip text collate "C",
  user_agent text collate "C",
  request_id text collate "C" not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint consent_history_pkey PRIMARY KEY (workspace_id, contact_id, revision)
) with (fillfactor=100);

create table read.consent_hours (
  workspace_id uuid not null,
  hour integer not null,
  channel text collate "C" not null,
  status text collate "C" not null,
  q1 bigint not null,
  q2 bigint not null,
  q3 bigint not null,
  q4 bigint not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint consent_hours_pkey PRIMARY KEY (workspace_id, hour, channel, status)
) with (fillfactor=50);

create table read.consent_totals (
  workspace_id uuid not null,
  channel text collate "C" not null,
  status text collate "C" not null,
  contacts bigint not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint consent_totals_pkey PRIMARY KEY (workspace_id, channel, status)
) with (fillfactor=50);

create table read.contact_births (
  workspace_id uuid not null,
  contact_id uuid not null,
  created_at timestamp with time zone not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint contact_births_pkey PRIMARY KEY (workspace_id, contact_id)
) with (fillfactor=100);

create table read.contact_timeline (
  workspace_id uuid not null,
  contact_id uuid not null,
  place text collate "C" not null,
  at timestamp with time zone not null,
  kind text collate "C" not null,
  thing_id uuid not null,
  revision integer not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint contact_timeline_pkey PRIMARY KEY (workspace_id, contact_id, place)
) with (fillfactor=100);

create table read.custom_events (
  workspace_id uuid not null,
  id uuid not null,
  name text collate "C" not null,
  label text collate "C" not null,
  properties text[] not null,
  retired boolean not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint custom_events_pkey PRIMARY KEY (workspace_id, id)
) with (fillfactor=100);

create table read.custom_fields (
  workspace_id uuid not null,
  id uuid not null,
  key text collate "C" not null,
  label text collate "C" not null,
  kind text collate "C" not null,
  options jsonb not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint custom_fields_pkey PRIMARY KEY (workspace_id, id)
) with (fillfactor=100);

create table read.flow_runs (
  workspace_id uuid not null,
  flow_id uuid not null,
  contact_id uuid not null,
  run_id uuid not null,
  version integer not null,
  step integer,
  state text collate "C" not null,
  until timestamp with time zone,
  reason text collate "C",
  entered_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint flow_runs_pkey PRIMARY KEY (workspace_id, flow_id, contact_id)
) with (fillfactor=70);
CREATE INDEX flow_runs_step ON read.flow_runs USING btree (workspace_id, flow_id, state, version, step);

create table read.flow_steps (
  workspace_id uuid not null,
  flow_id uuid not null,
  versions jsonb not null,
  ends jsonb not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint flow_steps_pkey PRIMARY KEY (workspace_id, flow_id)
) with (fillfactor=50);

create table read.flows (
  workspace_id uuid not null,
  id uuid not null,
  name text collate "C" not null,
  version integer not null,
  paused boolean not null,
  retired boolean not null,
  inside bigint not null,
  finished bigint not null,
  created_at timestamp with time zone not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint flows_pkey PRIMARY KEY (workspace_id, id)
) with (fillfactor=50);

create table read.form_settings (
  workspace_id uuid not null,
  enabled boolean not null,
  origins text[] not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint form_settings_pkey PRIMARY KEY (workspace_id)
) with (fillfactor=100);

create table read.forms (
  workspace_id uuid not null,
  form_id text collate "C" not null,
  list_id uuid not null,
  template_id uuid,
  sender_address_id uuid,
  archived boolean not null,
  sign_ups integer not null,
  confirmed integer not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint forms_pkey PRIMARY KEY (workspace_id, form_id)
) with (fillfactor=70);

create table read.list_members (
  workspace_id uuid not null,
  list_id uuid not null,
  contact_id uuid not null,
  added_at timestamp with time zone not null,
  contact_created_at timestamp with time zone not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint list_members_pkey PRIMARY KEY (workspace_id, list_id, contact_id)
) with (fillfactor=100);
CREATE INDEX list_members_created ON read.list_members USING btree (workspace_id, list_id, contact_created_at, contact_id);

create table read.list_totals (
  workspace_id uuid not null,
  list_id uuid not null,
  total bigint not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint list_totals_pkey PRIMARY KEY (workspace_id, list_id)
) with (fillfactor=50);

create table read.lists (
  workspace_id uuid not null,
  id uuid not null,
  name text collate "C" not null,
  type text collate "C" not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint lists_pkey PRIMARY KEY (workspace_id, id)
) with (fillfactor=100);
CREATE INDEX lists_updated ON read.lists USING btree (workspace_id, updated_at, id);

create table read.message_hours (
  workspace_id uuid not null,
  hour integer not null,
  channel text collate "C" not null,
  kind text collate "C" not null,
  outcome text collate "C" not null,
  q1 bigint not null,
  q2 bigint not null,
  q3 bigint not null,
  q4 bigint not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint message_hours_pkey PRIMARY KEY (workspace_id, hour, channel, kind, outcome)
) with (fillfactor=50);

create table read.message_totals (
  workspace_id uuid not null,
  total bigint not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint message_totals_pkey PRIMARY KEY (workspace_id)
) with (fillfactor=50);

create table read.messages (
  workspace_id uuid not null,
  id uuid not null,
  contact_id uuid,
  channel text collate "C" not null,
  status text collate "C" not null,
  failure_reason text collate "C",
  provider_message_id text collate "C",
  queued_at timestamp with time zone not null,
  sent_at timestamp with time zone,
  delivered_at timestamp with time zone,
  updated_at timestamp with time zone not null,
  kind text collate "C" not null,
  template_id uuid,
  campaign_id uuid,
  flow_id uuid,
  opened_at timestamp with time zone,
  clicked_at timestamp with time zone,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint messages_pkey PRIMARY KEY (workspace_id, id)
) with (fillfactor=80);
CREATE INDEX messages_campaign ON read.messages USING btree (workspace_id, campaign_id, queued_at, id) WHERE (campaign_id IS NOT NULL);
CREATE INDEX messages_contact ON read.messages USING btree (workspace_id, contact_id, queued_at, id);
CREATE INDEX messages_id ON read.messages USING btree (id);
CREATE INDEX messages_newest ON read.messages USING btree (workspace_id, queued_at, id);

create table read.observed_event_totals (
  workspace_id uuid not null,
  names bigint not null,
  once text[] not null,
  again text[] not null,
  ignored_names bigint not null,
  ignored_properties bigint not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint observed_event_totals_pkey PRIMARY KEY (workspace_id)
) with (fillfactor=50);

create table read.observed_events (
  workspace_id uuid not null,
  name text collate "C" not null,
  properties text[] not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint observed_events_pkey PRIMARY KEY (workspace_id, name)
) with (fillfactor=100);

create table read.open_flow_runs (
  workspace_id uuid not null,
  run_id uuid not null,
  version integer not null,
  step integer,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint open_flow_runs_pkey PRIMARY KEY (workspace_id, run_id)
) with (fillfactor=70);

create table read.profile_search (
  workspace_id uuid not null,
  id uuid not null,
  created_at timestamp with time zone not null,
  text text collate "C" not null,
  code text collate "C",
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint profile_search_pkey PRIMARY KEY (workspace_id, id)
) with (fillfactor=100);
CREATE INDEX profile_search_created ON read.profile_search USING btree (workspace_id, created_at, id);
CREATE INDEX profile_search_trigrams ON read.profile_search USING gin (workspace_id, COALESCE(code, text) gin_trgm_ops) WITH (gin_pending_list_limit='256');
CREATE INDEX profile_search_written ON read.profile_search USING btree (workspace_id, last_commit);

create table read.profile_totals (
  workspace_id uuid not null,
  bucket text collate "C" not null,
  total bigint not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint profile_totals_pkey PRIMARY KEY (workspace_id, bucket)
) with (fillfactor=50);

create table read.profiles (
  workspace_id uuid not null,
  id uuid not null,
  email text collate "C",
  phone text collate "C",
  first_name text collate "C",
  last_name text collate "C",
  timezone text collate "C",
  locale text collate "C",
  email_consent text collate "C" not null,
  sms_consent text collate "C" not null,
  push_consent text collate "C" not null,
  email_consent_at timestamp with time zone,
  sms_consent_at timestamp with time zone,
  push_consent_at timestamp with time zone,
  email_validation_state text collate "C" not null,
  custom_properties jsonb not null,
  tags text[] not null,
  rfm_tier text collate "C",
  notes text collate "C",
  email_suppressed boolean not null,
  sms_suppressed boolean not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint profiles_pkey PRIMARY KEY (workspace_id, id)
) with (fillfactor=100);
CREATE INDEX profiles_created ON read.profiles USING btree (workspace_id, created_at, id);
CREATE INDEX profiles_email ON read.profiles USING btree (workspace_id, email, id);
CREATE INDEX profiles_email_consent ON read.profiles USING btree (workspace_id, email_consent, created_at, id) WHERE (email_consent <> 'never_subscribed'::text);
CREATE INDEX profiles_first_name ON read.profiles USING btree (workspace_id, lower((first_name COLLATE "default")), id);
CREATE INDEX profiles_last_name ON read.profiles USING btree (workspace_id, lower((last_name COLLATE "default")), id);
CREATE INDEX profiles_phone ON read.profiles USING btree (workspace_id, phone) WHERE (phone IS NOT NULL);
CREATE INDEX profiles_sms_consent ON read.profiles USING btree (workspace_id, sms_consent, created_at, id) WHERE (sms_consent <> 'never_subscribed'::text);
CREATE INDEX profiles_updated ON read.profiles USING btree (workspace_id, updated_at, id);

create table read.provider_ids (
  workspace_id uuid not null,
  provider_message_id text collate "C" not null,
  message_id uuid not null,
  sent_at timestamp with time zone not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint provider_ids_pkey PRIMARY KEY (provider_message_id, workspace_id, message_id)
) with (fillfactor=100);

create table read.push_subscriptions (
  workspace_id uuid not null,
  endpoint_hash text collate "C" not null,
  id uuid not null,
  contact_id uuid not null,
  browser text collate "C",
  platform text collate "C",
  created_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  revoke_reason text collate "C",
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint push_subscriptions_pkey PRIMARY KEY (workspace_id, endpoint_hash)
) with (fillfactor=100);
CREATE INDEX push_subscriptions_contact ON read.push_subscriptions USING btree (workspace_id, contact_id);

create table read.said_consents (
  workspace_id uuid not null,
  contact_id uuid not null,
  channel text collate "C" not null,
  status text collate "C" not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint said_consents_pkey PRIMARY KEY (workspace_id, contact_id, channel)
) with (fillfactor=100);

create table read.sender_addresses (
  workspace_id uuid not null,
  id uuid not null,
  email text collate "C" not null,
  domain text collate "C" not null,
  name text collate "C",
  status text collate "C" not null,
  confirm_by timestamp with time zone,
  confirmation_id uuid,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint sender_addresses_pkey PRIMARY KEY (workspace_id, id)
) with (fillfactor=100);
CREATE INDEX sender_addresses_confirmation ON read.sender_addresses USING btree (confirmation_id);
CREATE INDEX sender_addresses_email ON read.sender_addresses USING btree (workspace_id, email);

create table read.sender_domains (
  workspace_id uuid not null,
  domain text collate "C" not null,
  verified boolean not null,
  blocklisted boolean not null,
  said_verified boolean,
  said_blocklisted boolean,
  token text collate "C",
  proof text collate "C",
  listed_in text[] not null,
  missing_since timestamp with time zone,
  configured_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint sender_domains_pkey PRIMARY KEY (workspace_id, domain)
) with (fillfactor=100);

create table read.sms_recipients (
  workspace_id uuid not null,
  contact_id uuid not null,
  sender_key text collate "C" not null,
  sender text collate "C" not null,
  phone text collate "C" not null,
  last_at timestamp with time zone not null,
  message_id uuid not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint sms_recipients_pkey PRIMARY KEY (workspace_id, contact_id, sender_key)
) with (fillfactor=80);
CREATE INDEX sms_recipients_phone ON read.sms_recipients USING btree (phone, sender_key);

create table read.sms_senders (
  workspace_id uuid not null,
  sender_id text collate "C" not null,
  status text collate "C" not null,
  reason text collate "C",
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint sms_senders_pkey PRIMARY KEY (workspace_id, sender_id)
) with (fillfactor=100);

create table read.suppressions (
  workspace_id uuid not null,
  contact_id uuid not null,
  channel text collate "C" not null,
  reasons text[] not null,
  updated_at timestamp with time zone not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint suppressions_pkey PRIMARY KEY (workspace_id, contact_id, channel)
) with (fillfactor=100);

create table read.tags (
  workspace_id uuid not null,
  id uuid not null,
  name text collate "C" not null,
  color text collate "C",
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint tags_pkey PRIMARY KEY (workspace_id, id)
) with (fillfactor=100);

create table read.templates (
  workspace_id uuid not null,
  id uuid not null,
  name text collate "C" not null,
  channel text collate "C" not null,
  archived boolean not null,
  subject text collate "C",
  html text collate "C",
  text text collate "C",
  body text collate "C",
  push jsonb,
  from_name text collate "C",
  merge_fields text[] not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint templates_pkey PRIMARY KEY (workspace_id, id)
) with (fillfactor=100);
CREATE INDEX templates_updated ON read.templates USING btree (workspace_id, updated_at, id);

create table read.users (
  workspace_id uuid not null,
  id uuid not null,
  email text collate "C" not null,
  role text collate "C" not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint users_pkey PRIMARY KEY (workspace_id, id)
) with (fillfactor=100);
CREATE INDEX users_email ON read.users USING btree (email, workspace_id);

create table read.waiting_texts (
  workspace_id uuid not null,
  message_id uuid not null,
  contact_id uuid not null,
  sender_key text collate "C" not null,
  sender text collate "C" not null,
  phone text collate "C" not null,
  accepted_at timestamp with time zone not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint waiting_texts_pkey PRIMARY KEY (workspace_id, message_id)
) with (fillfactor=100);
CREATE INDEX waiting_texts_contact ON read.waiting_texts USING btree (workspace_id, contact_id);
CREATE INDEX waiting_texts_phone ON read.waiting_texts USING btree (phone, sender_key);

create table read.wallets (
  workspace_id uuid not null,
  balance bigint not null,
  held bigint not null,
  open_holds integer not null,
  updated_at timestamp with time zone not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint wallets_pkey PRIMARY KEY (workspace_id)
) with (fillfactor=50);

create table read.webhooks (
  workspace_id uuid not null,
  id uuid not null,
  url text collate "C" not null,
  label text collate "C",
  events text[] not null,
  active boolean not null,
  created_at timestamp with time zone not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint webhooks_pkey PRIMARY KEY (workspace_id, id)
) with (fillfactor=100);

create table read.workspaces (
  workspace_id uuid not null,
  slug text collate "C" not null,
  name text collate "C" not null,
  plan text collate "C" not null,
  status text collate "C" not null,
  country text collate "C" not null,
  tracking boolean not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint workspaces_pkey PRIMARY KEY (workspace_id)
) with (fillfactor=100);
CREATE UNIQUE INDEX workspaces_slug ON read.workspaces USING btree (slug);

create table webhooks.attempt (
  endpoint_id uuid not null,
  slot smallint not null,
  workspace_id uuid not null,
  number bigint not null,
  delivery_id uuid not null,
  event text collate "C" not null,
  source text collate "C",
  attempt smallint not null,
  outcome text collate "C" not null,
  status smallint,
  error text,
  duration_ms integer not null,
  at timestamp with time zone not null,
  constraint attempt_outcome_check CHECK ((outcome = ANY (ARRAY['delivered'::text, 'retrying'::text, 'dropped'::text]))),
  constraint attempt_pkey PRIMARY KEY (endpoint_id, slot)
) with (fillfactor=70);

create table webhooks.delivery (
  endpoint_id uuid not null,
  id bigint generated as identity not null,
  workspace_id uuid not null,
  position_commit bigint not null,
  position_prepare bigint not null,
  event text collate "C" not null,
  source text collate "C" not null,
  attempt smallint default 0 not null,
  due_at timestamp with time zone,
  admitted_at timestamp with time zone default clock_timestamp() not null,
  constraint delivery_pkey PRIMARY KEY (endpoint_id, id)
) with (fillfactor=90, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0, autovacuum_vacuum_insert_scale_factor=0, autovacuum_vacuum_insert_threshold=100000, autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=20000);
CREATE INDEX delivery_due ON webhooks.delivery USING btree (endpoint_id, due_at) WHERE (due_at IS NOT NULL);
CREATE UNIQUE INDEX delivery_once ON webhooks.delivery USING btree (endpoint_id, position_commit, position_prepare, event);

create table webhooks.outcomes (
  endpoint_id uuid not null,
  slot smallint not null,
  workspace_id uuid not null,
  since timestamp with time zone not null,
  delivered integer not null,
  retrying integer not null,
  dropped integer not null,
  constraint outcomes_pkey PRIMARY KEY (endpoint_id, slot)
) with (fillfactor=70);

create table webhooks.queue (
  endpoint_id uuid not null,
  workspace_id uuid not null,
  waiting integer default 0 not null,
  tries bigint default 0 not null,
  owner uuid,
  lease_until timestamp with time zone,
  free_at timestamp with time zone default 
CASE
    WHEN (waiting > 0) THEN COALESCE(lease_until, '-infinity'::timestamp with time zone)
    ELSE NULL::timestamp with time zone
END,
  asked_id uuid[] default '{}'::uuid[] not null,
  asked_at timestamp with time zone[] default '{}'::timestamp with time zone[] not null,
  constraint queue_pkey PRIMARY KEY (endpoint_id)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=2000);
CREATE INDEX queue_free ON webhooks.queue USING btree (free_at) WHERE (free_at IS NOT NULL);
CREATE INDEX queue_workspace ON webhooks.queue USING btree (workspace_id);

create table webhooks.suspended_workspace (
  workspace_id uuid not null,
  constraint suspended_workspace_pkey PRIMARY KEY (workspace_id)
);

CREATE OR REPLACE FUNCTION es.append(p_stream text[], p_expected integer[], p_group integer[], p_item integer[], p_ordinal integer[], p_id uuid[], p_type text[], p_data text[], p_meta text[])
 RETURNS TABLE(item integer, verdict "char", revision integer, last_position bigint, created_ms bigint)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  plain boolean;
  base  bigint;
  stamp timestamptz;
  ms    bigint;
begin
  perform es.lock();

  select not exists (select from es.stream_meta m where m.stream_id = any (p_stream)) and bool_and(
           i.expected >= -1
           and i.expected = coalesce((select e.revision from es.event e where e.stream_id = i.stream order by e.revision desc limit 1), -1)
           and not exists (select from es.event e where e.event_id = i.id))
    into plain
    from unnest(p_stream, p_expected, p_id) i(stream, expected, id);
  if plain is not true then
    return query select * from es.append_judged(p_stream, p_expected, p_group, p_item, p_ordinal, p_id, p_type, p_data, p_meta);
    return;
  end if;

  select e.position, e.created into base, stamp from es.event e order by e.position desc limit 1;
  base := coalesce(base, 0);
  -- The clock may step back; the log may not.
  stamp := greatest(stamp, date_trunc('milliseconds', clock_timestamp()));
  ms := extract(epoch from stamp) * 1000;

  insert into es.event (position, stream_id, revision, event_id, type, data, meta, created)
  select base + i.line, i.stream, i.expected + 1 + i.ordinal, i.id, i.type, i.data, i.meta, stamp
  from unnest(p_stream, p_expected, p_ordinal, p_id, p_type, p_data, p_meta) with ordinality
         i(stream, expected, ordinal, id, type, data, meta, line);
  perform pg_notify('es_appended', (base + cardinality(p_item))::text);
  return query
    select i.item, 'o'::"char", max(i.expected + 1 + i.ordinal), base + max(i.line), ms
    from unnest(p_item, p_expected, p_ordinal) with ordinality i(item, expected, ordinal, line) group by i.item;
end $function$
;

CREATE OR REPLACE FUNCTION es.append_judged(p_stream text[], p_expected integer[], p_group integer[], p_item integer[], p_ordinal integer[], p_id uuid[], p_type text[], p_data text[], p_meta text[])
 RETURNS TABLE(item integer, verdict "char", revision integer, last_position bigint, created_ms bigint)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  base  bigint;
  stamp timestamptz;
  ms    bigint;
begin
  perform es.lock();

  select e.position, e.created into base, stamp from es.event e order by e.position desc limit 1;
  base := coalesce(base, 0);
  -- The clock may step back; the log may not.
  stamp := greatest(stamp, date_trunc('milliseconds', clock_timestamp()));
  ms := extract(epoch from stamp) * 1000;

  return query
  with looked_up as (
    select i.*, s.revision as current, coalesce(m.tombstoned, false) as tombstoned, coalesce(m.deleted_before, 0) as deleted_before,
           k.stream_id as known_stream, k.revision as known_revision, k.position as known_position
    from unnest(p_stream, p_expected, p_group, p_item, p_ordinal, p_id, p_type, p_data, p_meta) with ordinality
           i(stream, expected, grp, item, ordinal, id, type, data, meta, line)
    left join lateral (select e.revision from es.event e where e.stream_id = i.stream order by e.revision desc limit 1) s on true
    left join lateral (select * from es.stream_meta e where e.stream_id = i.stream offset 0) m on true
    left join lateral (select e.stream_id, e.revision, e.position from es.event e where e.event_id = i.id offset 0) k on true
  ), summed as (
    select l.*,
           case l.expected when -2 then true when -1 then l.current is null or l.current < l.deleted_before
                           when -4 then l.current >= l.deleted_before else l.expected = l.current end is true as fits,
           count(*) over append as size,
           count(l.known_revision) over append as known,
           -- All of them are in this stream, each as far behind the first as it would be now.
           bool_and(l.known_stream = l.stream) over append
             and min(l.known_revision - l.ordinal) over append = max(l.known_revision - l.ordinal) over append as known_in_order,
           min(l.known_revision) over append as known_first
    from looked_up l
    window append as (partition by l.grp, l.item order by l.line rows between unbounded preceding and unbounded following)
  ), judged as (
    select s.*, case
        when s.tombstoned then 'x'
        when s.known = 0 then case when s.fits then 'o' else 'w' end
        when s.known < s.size or not s.known_in_order then 'c'
        when s.expected < 0 or s.known_first = s.expected + 1 then 'd'
        when s.fits then 'c'
        else 'w'
      end::"char" as alone
    from summed s
  ), together as (
    select j.*, case
        when j.alone not in ('o', 'd') or bool_and(j.alone = 'o') over mates or bool_and(j.alone = 'd') over mates then j.alone
        else 'n'
      end::"char" as verdict
    from judged j
    window mates as (partition by j.grp order by j.item, j.line rows between unbounded preceding and unbounded following)
  ), placed as materialized (
    select t.*, base + count(*) filter (where t.verdict = 'o') over (order by t.grp, t.item, t.line rows unbounded preceding) as position,
           coalesce(t.current, -1) + 1 + t.ordinal as revision
    from together t
  ), written as (
    insert into es.event (position, stream_id, revision, event_id, type, data, meta, created)
    select p.position, p.stream, p.revision, p.id, p.type, p.data, p.meta, stamp from placed p where p.verdict = 'o'
  )
  select p.item, p.verdict, case p.verdict when 'o' then p.revision when 'd' then p.known_revision else p.current end,
         case p.verdict when 'o' then p.position when 'd' then p.known_position end, ms
  from placed p where p.ordinal = p.size - 1;

  select e.position into ms from es.event e order by e.position desc limit 1;
  if ms > base then
    -- A batch notifies once: a transaction with notifications takes a global lock at commit, so one for each append would cost more than half.
    perform pg_notify('es_appended', ms::text);
  end if;
end $function$
;

CREATE OR REPLACE FUNCTION es.delete_stream(p_stream text, p_expected integer, p_tombstone boolean, OUT verdict "char", OUT revision integer)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
declare
  m       es.stream_meta;
  visible int;
begin
  perform es.lock();
  select e.revision into revision from es.event e where e.stream_id = p_stream order by e.revision desc limit 1;
  select * into m from es.stream_meta s where s.stream_id = p_stream;
  visible := case when revision >= coalesce(m.deleted_before, 0) then revision end;
  verdict := case
    when m.tombstoned then 'x'
    when p_expected = -2 or (p_expected = -1 and visible is null) or (p_expected = -4 and visible is not null) or p_expected = revision then 'o'
    else 'w'
  end;
  if verdict = 'o' then
    insert into es.stream_meta as s (stream_id, tombstoned, deleted_before) values (p_stream, p_tombstone, coalesce(revision + 1, 0))
    on conflict (stream_id) do update set tombstoned = excluded.tombstoned, deleted_before = excluded.deleted_before;
  end if;
end $function$
;

CREATE OR REPLACE FUNCTION es.lock()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  lock table es.append_lock in exclusive mode;
  perform set_config('es.locked', 'on', true);
end $function$
;

CREATE OR REPLACE FUNCTION es.read_backwards(p_stream text[], p_start integer[], p_limit integer[])
 RETURNS TABLE("position" bigint, stream_id text, revision integer, event_id uuid, type text, data text, meta text, created timestamp with time zone, asked bigint)
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
begin
  return query
  with bound as materialized (
    select a.n, a.stream_id, a.start, a.how_many, coalesce(m.tombstoned, false) as tombstoned,
           greatest(0, m.deleted_before, m.truncate_before,
             case when m.max_count is not null
               then (select max(l.revision) from es.event l where l.stream_id = a.stream_id) + 1 - m.max_count end) as lowest,
           coalesce(now() - make_interval(secs => m.max_age_seconds), '-infinity') as oldest
    from unnest(p_stream, p_start, p_limit) with ordinality a(stream_id, start, how_many, n)
      left join es.stream_meta m on m.stream_id = a.stream_id
  )
  select e.position, e.stream_id, e.revision, e.event_id, e.type, e.data, e.meta, e.created, case when b.tombstoned then -b.n else b.n end
  from bound b left join lateral (
    select * from es.event s
    where s.stream_id = b.stream_id and s.revision >= b.lowest and s.created >= b.oldest and not b.tombstoned
      and s.revision <= coalesce(b.start, 2147483647)
    order by s.revision desc limit b.how_many
  ) e on true;
end $function$
;

CREATE OR REPLACE FUNCTION es.read_forwards(p_stream text[], p_start integer[], p_limit integer[])
 RETURNS TABLE("position" bigint, stream_id text, revision integer, event_id uuid, type text, data text, meta text, created timestamp with time zone, asked bigint)
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
begin
  return query
  with bound as materialized (
    select a.n, a.stream_id, a.start, a.how_many, coalesce(m.tombstoned, false) as tombstoned,
           greatest(0, m.deleted_before, m.truncate_before,
             case when m.max_count is not null
               then (select max(l.revision) from es.event l where l.stream_id = a.stream_id) + 1 - m.max_count end) as lowest,
           coalesce(now() - make_interval(secs => m.max_age_seconds), '-infinity') as oldest
    from unnest(p_stream, p_start, p_limit) with ordinality a(stream_id, start, how_many, n)
      left join es.stream_meta m on m.stream_id = a.stream_id
  )
  select e.position, e.stream_id, e.revision, e.event_id, e.type, e.data, e.meta, e.created, case when b.tombstoned then -b.n else b.n end
  from bound b left join lateral (
    select * from es.event s
    where s.stream_id = b.stream_id and s.revision >= b.lowest and s.created >= b.oldest and not b.tombstoned
      and s.revision >= coalesce(b.start, 0)
    order by s.revision asc limit b.how_many
  ) e on true;
end $function$
;

CREATE OR REPLACE FUNCTION es.refuse_misplaced()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  newest es.event;
begin
  if coalesce(current_setting('es.allow_rewrite', true), '') = 'on' then
    return new;
  end if;
  -- The end of the log does not move while it is looked at. es.lock() is not called: the other rows of this insert are judged too.
  lock table es.append_lock in exclusive mode;
  select * into newest from es.event e order by e.position desc limit 1;
  -- After the clock was set back es.append goes on with the time of the newest event, which is then ahead.
  if new.position <> coalesce(newest.position, 0) + 1 or new.created < newest.created
     or new.created > greatest(newest.created, clock_timestamp() + interval '1 second') then
    raise exception 'es.event is append-only: an event of % at position % is refused, behind one of % at position %, unless es.allow_rewrite is on',
      new.created, new.position, newest.created, newest.position using errcode = 'insufficient_privilege';
  end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION es.refuse_rewrite()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if coalesce(current_setting('es.allow_rewrite', true), '') <> 'on' then
    raise exception 'es.event is append-only: % is refused unless es.allow_rewrite is on', tg_op using errcode = 'insufficient_privilege';
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION inbox.admit(p_kind text, p_workspace uuid[], p_lane text[], p_seq bigint[], p_payload text[], p_room integer, p_lease_ms bigint, p_has uuid[], p_counts integer[], p_bundled boolean)
 RETURNS TABLE(added integer, nth integer, lane bigint, token bigint)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_now timestamptz;
  v_suspended uuid[];
  v_token bigint := nextval('inbox.claim_token');
  v_room integer;
begin
  perform inbox.lock_kind(p_kind);
  v_room := case when inbox.may_have_forgotten() then 0 else p_room end;
  v_now := clock_timestamp();
  v_suspended := array(
    select s.workspace_id from inbox.suspended_workspace s
    where s.kind = p_kind and s.workspace_id = any (p_workspace) and s.suspended_until > v_now);
  return query
  with given as (
    select hashtextextended(g.lane, 0) as lane, g.seq, g.workspace_id, g.payload, g.nth
    from unnest(p_workspace, p_lane, p_seq, p_payload) with ordinality g(workspace_id, lane, seq, payload, nth)
  ), added as materialized (
    select g.*, row_number() over (partition by g.lane order by g.seq) as lane_nth
    from given g
    left join lateral (select 1 as yes from inbox.job j where j.kind = p_kind and j.lane = g.lane and j.seq = g.seq limit 1) known on true
    where known.yes is null
  ), head as materialized (
    select a.*, a.lane_nth = 1 and ahead.yes is null as due,
      a.lane_nth = 1 and ahead.yes is null and leased.until is null and a.workspace_id <> all (v_suspended) as free
    from added a
    left join lateral (
      select 1 as yes from inbox.job j where j.kind = p_kind and j.lane = a.lane and j.attempt = 0 and not j.aside limit 1) ahead on true
    left join lateral (
      select j.due_at as until from inbox.job j where j.kind = p_kind and j.lane = a.lane and j.token is not null
      order by j.due_at desc limit 1) leased on leased.until > v_now
  ), shared as materialized (
    select w.workspace_id, case when p_has is null then v_room
      else inbox.share_of(v_room, coalesce(mine.n, 0), (count(*) over ())::integer) end as share
    from (select distinct h.workspace_id from head h where h.free) w
    left join lateral (select m.n from unnest(p_has, p_counts) m(ws, n) where m.ws = w.workspace_id limit 1) mine on true
  ), placed as materialized (
    select h.*, h.free
      and count(*) filter (where h.free) over (partition by h.workspace_id order by h.seq, h.nth) <= coalesce(s.share, 0)
      and count(*) filter (where h.free) over (order by h.seq, h.nth) <= v_room as mine
    from head h left join shared s on s.workspace_id = h.workspace_id
  ), written as (
    insert into inbox.job (kind, lane, seq, workspace_id, payload, due_at, token, claimed_before)
    select p_kind, p.lane, p.seq, p.workspace_id, p.payload,
      case when p.mine then v_now + p_lease_ms * interval '1 millisecond' when p.due then v_now end, case when p.mine then v_token end, p.mine
    from placed p where not (p.mine and p_bundled) order by p.seq
  ), bundle as (
    insert into inbox.bundle (kind, token, workspace_id, lanes, seqs, payloads, due_at, admitted_at)
    select p_kind, v_token, p.workspace_id, array_agg(p.lane order by p.seq, p.nth), array_agg(p.seq order by p.seq, p.nth),
      array_agg(p.payload order by p.seq, p.nth), v_now + p_lease_ms * interval '1 millisecond', v_now
    from placed p where p.mine and p_bundled group by p.workspace_id
  )
  select n.added, p.nth::integer, p.lane, v_token
  from (select count(*)::integer as added from placed) n left join placed p on p.mine
  order by p.seq, p.nth;
end $function$
;

CREATE OR REPLACE FUNCTION inbox.admit_as_value(p_kind text, p_workspace uuid[], p_lane text[], p_seq bigint[], p_payload text[], p_room integer, p_lease_ms bigint, p_has uuid[], p_counts integer[], p_bundled boolean)
 RETURNS json
 LANGUAGE plpgsql
AS $function$
declare
  v_token bigint;
  v_lanes bigint[];
  v_unbundled bigint[];
begin
  if p_bundled and p_room > 0 then
    v_token := nextval('inbox.claim_token');
    v_lanes := inbox.admit_bundled(p_kind, p_workspace, p_lane, p_seq, p_payload, p_room, p_lease_ms, p_has, p_counts, v_token);
    if v_lanes is not null then
      return json_build_object('added', cardinality(v_lanes), 'token', v_token::text, 'nth', null, 'lanes', v_lanes::text[], 'unbundled', '{}'::text[]);
    end if;
  end if;
  perform inbox.lock_kind(p_kind);
  v_lanes := array(select hashtextextended(l.name, 0) from unnest(p_lane) l(name));
  v_unbundled := array(select distinct b.token from inbox.bundle b where b.kind = p_kind and b.lanes && v_lanes);
  if cardinality(v_unbundled) > 0 then
    perform inbox.unbundle(p_kind, v_unbundled);
  end if;
  return (
    select json_build_object('unbundled', v_unbundled::text[], 'added', max(a.added), 'token', max(a.token)::text,
      'nth', coalesce(json_agg(a.nth order by a.line) filter (where a.nth is not null), '[]'),
      'lanes', coalesce(json_agg(a.lane::text order by a.line) filter (where a.nth is not null), '[]'))
    from inbox.admit(p_kind, p_workspace, p_lane, p_seq, p_payload, p_room, p_lease_ms, p_has, p_counts, p_bundled)
      with ordinality a(added, nth, lane, token, line));
end $function$
;

CREATE OR REPLACE FUNCTION inbox.admit_bundled(p_kind text, p_workspace uuid[], p_lane text[], p_seq bigint[], p_payload text[], p_room integer, p_lease_ms bigint, p_has uuid[], p_counts integer[], p_token bigint)
 RETURNS bigint[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_lanes bigint[];
  v_now timestamptz;
begin
  if cardinality(p_lane) > p_room then return null; end if;
  perform inbox.lock_kind(p_kind);
  v_now := clock_timestamp();
  v_lanes := array(select hashtextextended(l.name, 0) from unnest(p_lane) l(name));
  if exists (select from inbox.job j where j.kind = p_kind and j.lane = any (v_lanes))
    or exists (select from inbox.bundle b where b.kind = p_kind and b.lanes && v_lanes)
    or exists (select from unnest(v_lanes) l(lane) group by l.lane having count(*) > 1)
    or exists (
      select from inbox.suspended_workspace s
      where s.kind = p_kind and s.workspace_id = any (p_workspace) and s.suspended_until > v_now)
    or p_has is not null and exists (
      select from (select g.ws, count(*) as jobs, count(*) over () as workspaces from unnest(p_workspace) g(ws) group by g.ws) w
      left join unnest(p_has, p_counts) mine(ws, n) on mine.ws = w.ws
      where w.jobs > inbox.share_of(p_room, coalesce(mine.n, 0), w.workspaces::integer))
    or inbox.may_have_forgotten()
  then return null; end if;
  insert into inbox.bundle (kind, token, workspace_id, lanes, seqs, payloads, due_at, admitted_at)
  select p_kind, p_token, g.ws, array_agg(g.lane), array_agg(g.seq), array_agg(g.payload), v_now + p_lease_ms * interval '1 millisecond', v_now
  from unnest(p_workspace, v_lanes, p_seq, p_payload) g(ws, lane, seq, payload) group by g.ws;
  return v_lanes;
end $function$
;

CREATE OR REPLACE FUNCTION inbox.claim(p_kind text, p_limit integer, p_lease_ms bigint, p_after uuid, p_has uuid[], p_counts integer[])
 RETURNS TABLE(lane bigint, seq bigint, token bigint, workspace_id uuid, attempt smallint, payload text, next_after uuid, taken_over boolean, claimed_before boolean, more boolean, handed_to text)
 LANGUAGE plpgsql
AS $function$
declare
  v_now timestamptz;
  v_token bigint := nextval('inbox.claim_token');
  v_forgotten boolean;
  v_expired bigint[];
begin
  perform inbox.lock_kind(p_kind);
  v_forgotten := inbox.may_have_forgotten();
  v_now := clock_timestamp();
  v_expired := array(select b.token from inbox.bundle b where b.kind = p_kind and b.due_at <= v_now);
  if cardinality(v_expired) > 0 then
    perform inbox.unbundle(p_kind, v_expired);
  end if;
  if not exists (select from (select from inbox.job j where j.kind = p_kind and j.due_at is not null order by j.workspace_id, j.due_at limit 1) one) then
    return query select null::bigint, null::bigint, v_token, null::uuid, null::smallint, null::text, null::uuid, false, false, false, null::text;
    return;
  end if;
  return query
  with recursive visit(ws, first_due) as (
    (select j.workspace_id, j.due_at from inbox.job j
     where j.kind = p_kind and j.due_at is not null and j.workspace_id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
     order by j.workspace_id, j.due_at limit 1)
    union all
    select n.* from visit v cross join lateral (
      select j.workspace_id, j.due_at from inbox.job j
      where j.kind = p_kind and j.due_at is not null and j.workspace_id > v.ws order by j.workspace_id, j.due_at limit 1) n
  ), visited as materialized (select * from visit limit p_limit),
  cursor as (select case when count(*) = p_limit then max(ws::text)::uuid end as ws from visited),
  eligible as materialized (
    select v.ws, case when p_has is null then greatest(1, p_limit / count(*) over ())::integer
      else inbox.share_of(p_limit, coalesce(mine.n, 0), (count(*) over ())::integer) end as share
    from visited v left join lateral (
      select 1 as yes from inbox.suspended_workspace s
      where s.kind = p_kind and s.workspace_id = v.ws and s.suspended_until > v_now limit 1) suspended on true
    left join lateral (select m.n from unnest(p_has, p_counts) m(ws, n) where m.ws = v.ws limit 1) mine on true
    where v.first_due <= v_now and suspended.yes is null
  ),
  candidate as materialized (
    select c.*, e.share, row_number() over (partition by e.ws order by c.due_at) as nth from eligible e cross join lateral (
      select j.ctid as at, j.lane, j.seq, j.due_at, j.aside, j.token is not null or v_forgotten as had_claim,
        j.claimed_before
      from inbox.job j
      where j.kind = p_kind and j.workspace_id = e.ws and j.due_at <= v_now order by j.due_at limit e.share + 1) c
  ), bundled as materialized (
    select u.lane from inbox.bundle b cross join lateral unnest(b.lanes) u(lane) where b.kind = p_kind
  ), sorted as materialized (
    select c.at, c.aside, c.had_claim, c.claimed_before,
      leased.until is null and c.lane not in (select b.lane from bundled b) and row_number() over (partition by c.lane order by c.due_at, c.seq) = 1 as free
    from candidate c left join lateral (
      select r.due_at as until from inbox.job r where r.kind = p_kind and r.lane = c.lane and r.token is not null
      order by r.due_at desc limit 1) leased on leased.until > v_now
    where c.nth <= c.share
  ), blocked as (
    -- A retry whose lane is busy comes back in a second, so that a crowd of them cannot hide the jobs behind; a first attempt that waited aside goes
    -- back into its lane.
    update inbox.job j set due_at = case when not (s.aside and j.attempt = 0) then v_now + interval '1 second' end, aside = false,
      deferred_for = null, deferred_by = null
    from sorted s where not s.free and j.ctid = s.at
  ), claimed as (
    update inbox.job j set token = v_token, due_at = v_now + p_lease_ms * interval '1 millisecond', aside = false, deferred_for = null,
      deferred_by = null, claimed_before = true
    from sorted s
    where s.free and j.ctid = s.at and coalesce(j.due_at, 'infinity') <= v_now
    returning j.lane, j.seq, j.workspace_id, j.attempt, j.payload, s.had_claim, s.claimed_before, j.handed_to
  )
  select c.lane, c.seq, v_token, c.workspace_id, c.attempt, c.payload, u.ws, c.had_claim, c.had_claim or c.claimed_before,
    exists (select from candidate d where d.nth > d.share), c.handed_to
  from cursor u left join claimed c on true
  order by row_number() over (partition by c.workspace_id order by c.seq), c.workspace_id;
end $function$
;

CREATE OR REPLACE FUNCTION inbox.deferred(p_limit integer)
 RETURNS TABLE(kind text, deferred_for text, jobs integer)
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
begin
  return query
  with recursive reasons(kind, reason) as (
    (select j.kind, j.deferred_for from inbox.job j where j.deferred_for is not null order by j.kind, j.deferred_for limit 1)
    union all
    select n.* from reasons r cross join lateral (
      select j.kind, j.deferred_for from inbox.job j
      where j.deferred_for is not null and (j.kind, j.deferred_for) > (r.kind, r.reason) order by j.kind, j.deferred_for limit 1) n
  )
  select r.kind, r.reason,
    (select count(*)::integer from (select from inbox.job j where j.kind = r.kind and j.deferred_for = r.reason limit p_limit) c)
  from reasons r order by r.kind, r.reason;
end $function$
;

CREATE OR REPLACE FUNCTION inbox.depth(p_limit integer)
 RETURNS TABLE(kind text, waiting integer, retrying integer, oldest timestamp with time zone)
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
begin
  return query
  with recursive kinds(name) as (
    (select j.kind from inbox.job j order by j.kind limit 1)
    union all
    select n.kind from kinds k cross join lateral (select j.kind from inbox.job j where j.kind > k.name order by j.kind limit 1) n
  ), bundled as (
    select b.kind as name, sum(cardinality(b.seqs))::integer as jobs, min(b.admitted_at) as oldest from inbox.bundle b group by b.kind
  )
  select k.name,
    coalesce(b.jobs, 0) + (select count(*)::integer from (
      select from inbox.job j where j.kind = k.name and j.admitted_at > '-infinity' order by j.admitted_at limit p_limit) c),
    (select count(*)::integer from (select from inbox.job j where j.kind = k.name and j.attempt > 0 limit p_limit) c),
    least(b.oldest,
      (select j.admitted_at from inbox.job j where j.kind = k.name and j.admitted_at > '-infinity' order by j.admitted_at limit 1))
  from (select kinds.name from kinds union select bundled.name from bundled) k left join bundled b on b.name = k.name order by k.name;
end $function$
;

CREATE OR REPLACE FUNCTION inbox.first_due(p_kinds text[])
 RETURNS TABLE(kind text, due_in_ms double precision)
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_now timestamptz := clock_timestamp();
begin
  return query
  select k.name, greatest(first.ms, 0)
  from unnest(p_kinds) k(name) cross join lateral (
    with recursive visit(ws, first_due) as (
      (select j.workspace_id, j.due_at from inbox.job j
       where j.kind = k.name and j.due_at is not null order by j.workspace_id, j.due_at limit 1)
      union all
      select n.* from visit v cross join lateral (
        select j.workspace_id, j.due_at from inbox.job j
        where j.kind = k.name and j.due_at is not null and j.workspace_id > v.ws order by j.workspace_id, j.due_at limit 1) n
    ), free as (
      select v.first_due from visit v left join lateral (
        select 1 as yes from inbox.suspended_workspace s
        where s.kind = k.name and s.workspace_id = v.ws and s.suspended_until > v_now limit 1) suspended on true
      where suspended.yes is null
    )
    select least(
      coalesce(
        (select 0 from free f where f.first_due <= v_now limit 1),
        (select extract(epoch from min(f.first_due) - v_now) * 1000 from free f)),
      (select extract(epoch from min(b.due_at) - v_now) * 1000 from inbox.bundle b where b.kind = k.name))::double precision as ms) first
  where first.ms is not null;
end $function$
;

CREATE OR REPLACE FUNCTION inbox.lock_kind(p_kind text)
 RETURNS void
 LANGUAGE sql
AS $function$
  select pg_advisory_xact_lock(730511, hashtext(p_kind))
$function$
;

CREATE OR REPLACE FUNCTION inbox.mark_targets(p_kind text[], p_lane bigint[], p_seq bigint[], p_token bigint[], p_target text[])
 RETURNS TABLE(kind text, lane bigint, seq bigint)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_one record;
begin
  for v_one in
    select b.kind, array_agg(distinct b.token) as tokens from inbox.bundle b
    where b.kind = any (p_kind) and b.token = any (p_token) group by b.kind order by b.kind
  loop
    perform inbox.lock_kind(v_one.kind);
    perform inbox.unbundle(v_one.kind, v_one.tokens);
  end loop;
  for v_one in
    select h.* from unnest(p_kind, p_lane, p_seq, p_token, p_target) h(kind, lane, seq, token, target) order by h.kind, h.lane, h.seq
  loop
    update inbox.job j set handed_to = v_one.target
    where j.kind = v_one.kind and j.lane = v_one.lane and j.seq = v_one.seq and j.token = v_one.token;
    if found then
      kind := v_one.kind;
      lane := v_one.lane;
      seq := v_one.seq;
      return next;
    end if;
  end loop;
end $function$
;

CREATE OR REPLACE FUNCTION inbox.may_have_forgotten()
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  v_since timestamptz;
begin
  select since into v_since from inbox.claims_remembered;
  if not found then
    insert into inbox.claims_remembered (since) values (clock_timestamp()) on conflict do nothing;
    return true;
  end if;
  return v_since > clock_timestamp() - interval '10 s';
end $function$
;

CREATE OR REPLACE FUNCTION inbox.move_to_dead_letter(p_kind text, p_lane bigint, p_seq bigint, p_token bigint, p_class text, p_error text)
 RETURNS uuid
 LANGUAGE plpgsql
AS $function$
declare
  v_job inbox.job;
  v_id uuid;
begin
  perform inbox.lock_kind(p_kind);
  perform inbox.unbundle(p_kind, array[p_token]);
  delete from inbox.job j where j.kind = p_kind and j.lane = p_lane and j.seq = p_seq and j.token = p_token returning j.* into v_job;
  if not found then return null; end if;
  insert into ops.dead_letter as d (source, consumer, workspace_id, reference, lane, seq, payload, handed_to, error_class, error, attempts)
  values ('job', p_kind, v_job.workspace_id, v_job.lane || '/' || v_job.seq, v_job.lane, v_job.seq, v_job.payload, v_job.handed_to, p_class,
    left(p_error, 2000), v_job.attempt + 1)
  on conflict (consumer, reference) do update
    set attempts = d.attempts + excluded.attempts, error_class = excluded.error_class, error = excluded.error, state = 'open', note = null, last_seen_at = now(),
      handed_to = excluded.handed_to
  returning d.id into v_id;
  perform inbox.promote(p_kind, array[p_lane]);
  return v_id;
end $function$
;

CREATE OR REPLACE FUNCTION inbox.promote(p_kind text, p_lane bigint[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from inbox.job j where j.kind = p_kind and j.lane = any (p_lane)) then return; end if;
  update inbox.job j set due_at = clock_timestamp()
  from (select distinct l.lane from unnest(p_lane) l(lane)) freed
  cross join lateral (
    select h.ctid, h.due_at from inbox.job h
    where h.kind = p_kind and h.lane = freed.lane and h.attempt = 0 and not h.aside order by h.seq limit 1
  ) head
  where head.due_at is null and j.ctid = head.ctid
    and not exists (select from inbox.bundle b where b.kind = p_kind and freed.lane = any (b.lanes));
end $function$
;

CREATE OR REPLACE FUNCTION inbox.release_claims()
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  v_released integer;
begin
  perform inbox.unbundle(b.kind, array_agg(b.token)) from inbox.bundle b group by b.kind;
  update inbox.job set token = null, due_at = clock_timestamp() where token is not null;
  get diagnostics v_released = row_count;
  return v_released;
end $function$
;

CREATE OR REPLACE FUNCTION inbox.renew(p_kind text, p_lane bigint, p_seq bigint, p_token bigint, p_lease_ms bigint)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from inbox.bundle b where b.kind = p_kind and b.token = p_token) then
    perform inbox.lock_kind(p_kind);
    perform inbox.unbundle(p_kind, array[p_token]);
  end if;
  update inbox.job j set due_at = clock_timestamp() + p_lease_ms * interval '1 millisecond'
  where j.kind = p_kind and j.lane = p_lane and j.seq = p_seq and j.token = p_token;
  return found;
end $function$
;

CREATE OR REPLACE FUNCTION inbox.requeue_dead_letter(p_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  v_dead ops.dead_letter;
begin
  select d.* into v_dead from ops.dead_letter d where d.id = p_id and d.source = 'job';
  if not found then return false; end if;
  perform inbox.lock_kind(v_dead.consumer);
  select d.* into v_dead from ops.dead_letter d where d.id = p_id and d.state = 'open' for update;
  if not found then return false; end if;
  perform inbox.unbundle(v_dead.consumer, array(
    select distinct b.token from inbox.bundle b where b.kind = v_dead.consumer and v_dead.lane = any (b.lanes)));
  insert into inbox.job (kind, lane, seq, workspace_id, payload, claimed_before, handed_to, last_error)
  values (v_dead.consumer, v_dead.lane, v_dead.seq, v_dead.workspace_id, v_dead.payload, true, v_dead.handed_to, left(v_dead.error, 500)) on conflict do nothing;
  if not exists (
    select from inbox.job j
    where j.kind = v_dead.consumer and j.lane = v_dead.lane and j.attempt = 0 and not j.aside and j.due_at is not null) then
    perform inbox.promote(v_dead.consumer, array[v_dead.lane]);
  end if;
  update ops.dead_letter set state = 'redriven', last_seen_at = now() where id = p_id;
  return true;
end $function$
;

CREATE OR REPLACE FUNCTION inbox.settle(p_kind text, p_lane bigint[], p_seq bigint[], p_token bigint[], p_back_delay bigint[], p_back_counts boolean[], p_aside boolean[], p_deferred_for text[], p_deferred_by uuid[], p_error text[], p_ended bigint[], p_unbundle bigint[], p_not_handed boolean[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  v_tokens integer := 0;
  v_ended bigint[];
  v_freed bigint[];
  v_back bigint[];
begin
  perform inbox.lock_kind(p_kind);
  if cardinality(p_ended) > 0 then
    with gone as (delete from inbox.bundle b where b.kind = p_kind and b.token = any (p_ended) returning b.token, b.lanes)
    select count(distinct g.token), array_agg(l.lane) into v_tokens, v_ended from gone g cross join lateral unnest(g.lanes) l(lane);
    if v_tokens < cardinality(p_ended) then  -- a renewal made rows of one meanwhile
      with gone as (delete from inbox.job j where j.kind = p_kind and j.token = any (p_ended) returning j.lane)
      select v_ended || array_agg(lane) into v_ended from gone;
    end if;
  end if;
  if cardinality(p_unbundle) > 0 then
    perform inbox.unbundle(p_kind, p_unbundle);
  end if;
  if cardinality(p_lane) > 0 then
    with gone as (
      delete from inbox.job j using unnest(p_lane, p_seq, p_token, p_back_delay) d(lane, seq, token, delay)
      cross join lateral (
        select h.ctid from inbox.job h where h.kind = p_kind and h.lane = d.lane and h.seq = d.seq and h.token = d.token limit 1) mine
      where d.delay is null and j.ctid = mine.ctid and j.token = d.token returning j.lane
    ) select array_agg(lane) into v_freed from gone;
  end if;
  if cardinality(array_remove(p_back_delay, null)) > 0 then
    with back as (
      update inbox.job j set token = null, attempt = j.attempt + d.counts::int, last_error = left(d.error, 500),
        aside = d.aside, deferred_for = d.deferred_for, deferred_by = d.deferred_by, handed_to = case when d.not_handed is not true then j.handed_to end,
        due_at = greatest(clock_timestamp() + d.delay * interval '1 millisecond', before.due_at)
      from unnest(p_lane, p_seq, p_token, p_back_delay, p_back_counts, p_aside, p_deferred_for, p_deferred_by, p_error, p_not_handed)
        d(lane, seq, token, delay, counts, aside, deferred_for, deferred_by, error, not_handed)
      cross join lateral (select h.ctid from inbox.job h where h.kind = p_kind and h.lane = d.lane and h.seq = d.seq and h.token = d.token limit 1) mine
      left join lateral (
        select b.due_at from inbox.job b
        where d.aside and b.kind = p_kind and b.lane = d.lane and b.seq < d.seq and b.aside and b.token is null
          and b.deferred_for = d.deferred_for and b.deferred_by is not distinct from d.deferred_by
        order by b.seq desc limit 1) before on true
      where d.delay is not null and j.ctid = mine.ctid and j.token = d.token returning j.lane
    ) select array_agg(lane) into v_back from back;
  end if;
  perform inbox.promote(p_kind, coalesce(v_ended, '{}') || coalesce(v_freed, '{}') || coalesce(v_back, '{}'));
end $function$
;

CREATE OR REPLACE FUNCTION inbox.settle_and_claim(p_kind text, p_lane bigint[], p_seq bigint[], p_token bigint[], p_back_delay bigint[], p_back_counts boolean[], p_aside boolean[], p_deferred_for text[], p_deferred_by uuid[], p_error text[], p_ended bigint[], p_unbundle bigint[], p_limit integer, p_lease_ms bigint, p_after uuid, p_has uuid[], p_counts integer[], p_not_handed boolean[] DEFAULT '{}'::boolean[])
 RETURNS TABLE(lane bigint, seq bigint, token bigint, workspace_id uuid, attempt smallint, payload text, next_after uuid, taken_over boolean, claimed_before boolean, more boolean, handed_to text)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
begin
  perform set_config('synchronous_commit', 'off', true);
  if cardinality(p_lane) > 0 or cardinality(p_ended) > 0 or cardinality(p_unbundle) > 0 then
    perform inbox.settle(
      p_kind, p_lane, p_seq, p_token, p_back_delay, p_back_counts, p_aside, p_deferred_for, p_deferred_by, p_error, p_ended, p_unbundle,
      p_not_handed);
  end if;
  if p_limit > 0 then
    return query select * from inbox.claim(p_kind, p_limit, p_lease_ms, p_after, p_has, p_counts);
  end if;
end $function$
;

CREATE OR REPLACE FUNCTION inbox.share_of(p_free integer, p_has integer, p_workspaces integer)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select greatest(case when p_has = 0 then 1 else 0 end, (p_free - p_has) / (p_workspaces + 1))
$function$
;

CREATE OR REPLACE FUNCTION inbox.unbundle(p_kind text, p_token bigint[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  with opened as (
    delete from inbox.bundle b where b.kind = p_kind and b.token = any (p_token)
    returning b.token, b.workspace_id, b.lanes, b.seqs, b.payloads, b.due_at, b.admitted_at
  )
  insert into inbox.job (kind, lane, seq, workspace_id, payload, due_at, token, claimed_before, admitted_at)
  select p_kind, u.lane, u.seq, o.workspace_id, u.payload, o.due_at, o.token, true, o.admitted_at
  from opened o cross join lateral unnest(o.lanes, o.seqs, o.payloads) u(lane, seq, payload)
  order by u.seq on conflict do nothing;
end $function$
;

CREATE OR REPLACE FUNCTION inbox.wake_aside(p_kind text, p_workspace uuid, p_deferred_for text, p_deferred_by uuid, p_lanes text[], p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_at tid[];
  v_woken bigint[];
  v_now timestamptz := clock_timestamp();
begin
  perform inbox.lock_kind(p_kind);
  if p_lanes is not null then
    v_at := array(
      select j.ctid from unnest(p_lanes) l(name) cross join lateral (
        select i.ctid, i.seq from inbox.job i
        where i.kind = p_kind and i.lane = hashtextextended(l.name, 0) and i.aside and i.workspace_id = p_workspace
          and i.deferred_for = p_deferred_for and (p_deferred_by is null or i.deferred_by = p_deferred_by) and i.token is null
        order by i.kind, i.lane, i.seq limit p_limit) j
      order by j.seq limit p_limit);
  elsif p_deferred_by is not null then
    v_at := array(
      select j.ctid from inbox.job j
      where j.aside and j.kind = p_kind and j.workspace_id = p_workspace and j.deferred_for = p_deferred_for and j.deferred_by = p_deferred_by
        and j.token is null
      order by j.seq limit p_limit);
  else
    v_at := array(
      select j.ctid from inbox.job j
      where j.aside and j.kind = p_kind and j.workspace_id = p_workspace and j.deferred_for = p_deferred_for and j.token is null
      order by j.deferred_by, j.seq limit p_limit);
  end if;
  with woken as (
    update inbox.job j set due_at = case when j.attempt > 0 then v_now end, aside = false, deferred_for = null, deferred_by = null
    where j.ctid = any (v_at) returning j.lane
  ) select array_agg(w.lane) into v_woken from woken w;
  perform inbox.promote(p_kind, v_woken);
  return coalesce(cardinality(v_woken), 0);
end $function$
;

CREATE OR REPLACE FUNCTION keys.is_ended_passcode(p_subject text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select p_subject like 'passcode:________-____-7%' and p_subject collate "C" < (select until from keys.ended_passcodes)
$function$
;

CREATE OR REPLACE FUNCTION ops.advance_consumer(p_group text, p_epoch bigint, p_from bigint[], p_to bigint[], p_lease_ms bigint)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  perform set_config('synchronous_commit', 'off', true);
  update ops.consumer_checkpoint set position_commit = p_to[1], position_prepare = p_to[2], updated_at = now(),
    lease_until = clock_timestamp() + p_lease_ms * interval '1 millisecond'
  where consumer_group = p_group and epoch = p_epoch and position_commit = p_from[1] and position_prepare = p_from[2];
  return found;
end $function$
;

CREATE OR REPLACE FUNCTION ops.advance_partitions(p_group text, p_epoch bigint, p_partition integer[], p_from_commit bigint[], p_from_prepare bigint[], p_to_commit bigint[], p_to_prepare bigint[])
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  v_moved integer;
begin
  perform set_config('synchronous_commit', 'off', true);
  update ops.consumer_partition c set position_commit = m.to_commit, position_prepare = m.to_prepare, updated_at = now()
  from unnest(p_partition, p_from_commit, p_from_prepare, p_to_commit, p_to_prepare) m(partition, from_commit, from_prepare, to_commit, to_prepare)
  where c.consumer_group = p_group and c.epoch = p_epoch and c.partition = m.partition
    and c.position_commit = m.from_commit and c.position_prepare = m.from_prepare;
  get diagnostics v_moved = row_count;
  return v_moved = cardinality(p_partition);
end $function$
;

CREATE OR REPLACE FUNCTION ops.advance_relay(p_topic text, p_epoch bigint, p_from bigint[], p_to bigint[], p_partition integer[], p_commit bigint[], p_prepare bigint[], p_lease_ms bigint)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  perform set_config('synchronous_commit', 'off', true);
  update ops.relay set position_commit = p_to[1], position_prepare = p_to[2], updated_at = now(),
    lease_until = clock_timestamp() + p_lease_ms * interval '1 millisecond'
  where topic = p_topic and epoch = p_epoch and position_commit = p_from[1] and position_prepare = p_from[2];
  if not found then return false; end if;
  update ops.relay_partition r set position_commit = m.commit, position_prepare = m.prepare
  from unnest(p_partition, p_commit, p_prepare) m(partition, commit, prepare)
  where r.topic = p_topic and r.partition = m.partition;
  return true;
end $function$
;

CREATE OR REPLACE FUNCTION ops.confirmed_by_now(p_confirmed double precision, p_at timestamp with time zone)
 RETURNS double precision
 LANGUAGE sql
AS $function$
  select case when p_confirmed = 0 then 0 else p_confirmed * power(0.5, greatest(0, extract(epoch from clock_timestamp() - p_at)) / (30 * 86400)) end
$function$
;

CREATE OR REPLACE FUNCTION ops.count_campaign_outcomes(p_campaign uuid[], p_accepted boolean[], p_refused integer[])
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
begin
  with counted as (
    select r.campaign_id, c.accepted, c.refused, last.contact_id is null as over
    from ops.campaign_run r join unnest(p_campaign, p_accepted, p_refused) c(campaign_id, accepted, refused) using (campaign_id)
    left join lateral (
      select p.contact_id from ops.campaign_recipient p where p.workspace_id = r.workspace_id and p.campaign_id = r.campaign_id
      order by p.contact_id desc limit 1) last on true
    order by r.campaign_id for update of r)
  update ops.campaign_run r set accepted = r.accepted or c.accepted, refused = r.refused + c.refused,
    due_at = case when c.over or c.accepted and not r.accepted then '-infinity' else r.due_at end,
    wakes = r.wakes + (c.over or c.accepted and not r.accepted)::int
  from counted c where r.campaign_id = c.campaign_id and (c.over or c.refused > 0 or c.accepted and not r.accepted);
end $function$
;

CREATE OR REPLACE FUNCTION ops.count_marketing(p_workspace uuid[], p_contact uuid[], p_channel text[], p_message uuid[], p_max integer[], p_days integer[], p_counts boolean[])
 RETURNS boolean[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_fits boolean[];
begin
  with judged as materialized (
    select a.*, others.passed < a.most as fits
    from unnest(p_workspace, p_contact, p_channel, p_message, p_max, p_days, p_counts) with ordinality
      a(workspace_id, contact_id, channel, message_id, most, days, counts, nth)
    cross join lateral (
      select count(*) as passed from (
        select from ops.marketing_message m
        where m.workspace_id = a.workspace_id and m.contact_id = a.contact_id and m.channel = a.channel and m.message_id <> a.message_id
          and m.passed_at > clock_timestamp() - a.days * interval '1 day'
        limit a.most) m) others
  ), counted as (
    insert into ops.marketing_message (workspace_id, contact_id, channel, message_id)
    select distinct j.workspace_id, j.contact_id, j.channel, j.message_id from judged j where j.fits and j.counts order by 1, 2, 3, 4
    on conflict do nothing
  )
  select array_agg(j.fits order by j.nth) into v_fits from judged j;
  return v_fits;
end $function$
;

CREATE OR REPLACE FUNCTION ops.filled_by_now(p_filled double precision, p_at timestamp with time zone, p_size double precision)
 RETURNS double precision
 LANGUAGE sql
AS $function$
  select case when coalesce(p_filled, 0) = 0 or p_at > clock_timestamp() + interval '1 second' then 0
    else greatest(0, p_filled - p_size * greatest(0, extract(epoch from clock_timestamp() - p_at)) / 86400) end
$function$
;

CREATE OR REPLACE FUNCTION ops.is_open(p_ends timestamp with time zone, p_length interval, p_now timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(p_ends > p_now and p_ends <= p_now + p_length, false)
$function$
;

CREATE OR REPLACE FUNCTION ops.lock_passcode_window(p_workspace uuid, p_prefix text, p_ms bigint)
 RETURNS ops.passcode_window
 LANGUAGE plpgsql
AS $function$
declare
  r ops.passcode_window;
  v_now bigint;
begin
  loop
    select * into r from ops.passcode_window w where w.workspace_id = p_workspace and w.prefix = p_prefix for update;
    exit when found;
    insert into ops.passcode_window values (p_workspace, p_prefix, 0, 0) on conflict do nothing;
  end loop;
  v_now := ops.now_ms();
  -- No window that was opened by now ends later than this.
  if r.ends <= v_now or r.ends > v_now + p_ms then
    r.ends := v_now + p_ms;
    r.used := 0;
  end if;
  return r;
end $function$
;

CREATE OR REPLACE FUNCTION ops.now_ms()
 RETURNS bigint
 LANGUAGE sql
AS $function$
  select (extract(epoch from clock_timestamp()) * 1000)::bigint
$function$
;

CREATE OR REPLACE FUNCTION ops.resolve_campaign_messages(p_workspace uuid[], p_recipient_of uuid[], p_contact uuid[], p_campaign uuid[], p_accepted boolean[], p_refused integer[])
 RETURNS boolean
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
begin
  perform ops.resolve_recipients(p_workspace, p_recipient_of, p_contact);
  perform ops.count_campaign_outcomes(p_campaign, p_accepted, p_refused);
  return true;
end $function$
;

CREATE OR REPLACE FUNCTION ops.resolve_recipients(p_workspace uuid[], p_campaign uuid[], p_contact uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
begin
  with locked as materialized (
    select r.ctid as at
    from unnest(p_workspace, p_campaign, p_contact) o(workspace_id, campaign_id, contact_id)
    join ops.campaign_recipient r using (workspace_id, campaign_id, contact_id)
    order by r.workspace_id, r.campaign_id, r.contact_id for update of r)
  delete from ops.campaign_recipient r using locked l where r.ctid = l.at;
end $function$
;

CREATE OR REPLACE FUNCTION ops.take_form_confirmation(p_workspace uuid, p_address text, p_per_workspace integer, p_per_address integer)
 RETURNS TABLE(outcome text, ends_in bigint)
 LANGUAGE plpgsql
AS $function$
declare
  c_hour constant interval := interval '1 hour';
  c_day constant interval := interval '1 day';
  v_now timestamptz;
  v_whole ops.form_confirmation;
  v_one ops.form_confirmation;
begin
  loop
    select * into v_whole from ops.form_confirmation f where f.workspace_id = p_workspace and f.address = '' for update;
    exit when found;
    insert into ops.form_confirmation values (p_workspace, '', '-infinity', 0) on conflict do nothing;
  end loop;
  v_now := clock_timestamp();
  if not ops.is_open(v_whole.ends, c_hour, v_now) then
    v_whole.ends := v_now + c_hour;
    v_whole.sent := 0;
  end if;
  if v_whole.sent >= p_per_workspace then
    return query select 'workspace', ceil(extract(epoch from v_whole.ends - v_now) * 1000)::bigint;
    return;
  end if;
  select * into v_one from ops.form_confirmation f where f.workspace_id = p_workspace and f.address = p_address;
  if ops.is_open(v_one.ends, c_day, v_now) and v_one.sent >= p_per_address then
    return query select 'address', 0::bigint;
    return;
  end if;
  insert into ops.form_confirmation as f values (p_workspace, p_address, v_now + c_day, 1)
  on conflict (workspace_id, address) do update set
    ends = case when ops.is_open(f.ends, c_day, v_now) then f.ends else excluded.ends end,
    sent = case when ops.is_open(f.ends, c_day, v_now) then f.sent + 1 else 1 end;
  update ops.form_confirmation f set ends = v_whole.ends, sent = v_whole.sent + 1 where f.workspace_id = p_workspace and f.address = '';
  return query select 'granted', 0::bigint;
end $function$
;

CREATE OR REPLACE FUNCTION ops.take_form_confirmation_for_domain(p_workspace uuid, p_address text, p_per_workspace integer, p_per_address integer, p_client text, p_domain text, p_visitor text, p_unproved integer, p_each integer, p_together integer, p_visitors double precision)
 RETURNS TABLE(outcome text, ends_in bigint)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  c_all constant uuid := '00000000-0000-0000-0000-000000000000';
  c_day constant float8 := 86400000;
  v_all ops.confirmation_domain;
  v_own ops.confirmation_domain;
  v_his ops.confirmation_domain;
  v_confirmed float8;
  v_size float8;
  v_all_filled float8;
  v_own_filled float8;
  v_his_filled float8;
  v_times int := 1;
  v_wait float8 := 0;
begin
  -- The domain is locked before the workspace. Rows are written for a mail alone: a flood of made-up domains leaves none.
  perform pg_advisory_xact_lock(730158, hashtext(p_domain));
  select * into v_all from ops.confirmation_domain d where d.workspace_id = c_all and d.domain = p_domain for update;
  select * into v_own from ops.confirmation_domain d where d.workspace_id = p_workspace and d.domain = p_domain for update;
  select * into v_his from ops.confirmation_domain d where d.workspace_id = c_all and d.domain = p_visitor;
  v_confirmed := round(coalesce(ops.confirmed_by_now(v_all.confirmed, v_all.confirmed_at), 0));
  v_size := p_unproved + p_each * v_confirmed;
  v_all_filled := ops.filled_by_now(v_all.filled, v_all.filled_at, p_together * v_size);
  v_own_filled := ops.filled_by_now(v_own.filled, v_own.filled_at, v_size);
  v_his_filled := ops.filled_by_now(v_his.filled, v_his.filled_at, p_visitors * v_size);
  if p_visitor is not null and v_his_filled = 0 then
    v_times := 2;
  end if;
  if p_visitor is not null and v_his_filled + 1 > p_visitors * v_size then
    v_wait := (v_his_filled + 1 - p_visitors * v_size) / (p_visitors * v_size);
  end if;
  if v_own_filled + 1 > v_times * v_size then
    v_wait := greatest(v_wait, (v_own_filled + 1 - v_times * v_size) / v_size);
  end if;
  if v_all_filled + 1 > v_times * p_together * v_size and v_own_filled + 1 > v_confirmed then
    v_wait := greatest(v_wait, (v_all_filled + 1 - v_times * p_together * v_size) / (p_together * v_size));
  end if;
  if v_wait > 0 then
    if p_visitor is not null and v_times = 1 then
      -- Once the mails of the visitor are forgotten, it counts as one without a mail.
      v_wait := least(v_wait, greatest(v_his_filled / (p_visitors * v_size), (v_own_filled + 1 - 2 * v_size) / v_size,
        (v_all_filled + 1 - 2 * p_together * v_size) / (p_together * v_size)));
    end if;
    return query select 'domain', greatest(1, ceil(v_wait * c_day))::bigint;
    return;
  end if;
  select t.outcome, t.ends_in into outcome, ends_in
    from ops.take_form_confirmation_for_visitor(p_workspace, p_address, p_per_workspace, p_per_address, p_client) t;
  if outcome = 'granted' then
    insert into ops.confirmation_domain as d (workspace_id, domain, filled, filled_at, ends)
    select f.workspace_id, f.domain, f.filled + 1, clock_timestamp(), clock_timestamp() + make_interval(secs => 86400 * (f.filled + 1) / f.size)
      from (values (c_all, p_domain, v_all_filled, p_together * v_size), (p_workspace, p_domain, v_own_filled, v_size),
                   (c_all, p_visitor, v_his_filled, p_visitors * v_size)) f (workspace_id, domain, filled, size)
      where f.domain is not null
    on conflict (workspace_id, domain) do update set
      filled = excluded.filled, filled_at = excluded.filled_at, ends = greatest(d.ends, excluded.ends);
  end if;
  return next;
end $function$
;

CREATE OR REPLACE FUNCTION ops.take_form_confirmation_for_visitor(p_workspace uuid, p_address text, p_per_workspace integer, p_per_address integer, p_client text)
 RETURNS TABLE(outcome text, ends_in bigint)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  c_hour constant interval := interval '1 hour';
  v_whole ops.form_confirmation;
  v_client ops.form_confirmation;
  v_bound int := p_per_workspace;
begin
  -- The row of the workspace is locked first, as the function that this one calls does: what runs at once waits here.
  select * into v_whole from ops.form_confirmation f where f.workspace_id = p_workspace and f.address = '' for update;
  if found and p_client is not null and ops.is_open(v_whole.ends, c_hour, clock_timestamp()) and v_whole.sent >= p_per_workspace then
    select * into v_client from ops.form_confirmation f where f.workspace_id = p_workspace and f.address = p_client;
    if not ops.is_open(v_client.ends, c_hour, clock_timestamp()) then
      v_bound := 2 * p_per_workspace;
    end if;
  end if;
  select t.outcome, t.ends_in into outcome, ends_in from ops.take_form_confirmation(p_workspace, p_address, v_bound, p_per_address) t;
  if outcome = 'granted' and p_client is not null then
    insert into ops.form_confirmation as f values (p_workspace, p_client, clock_timestamp() + c_hour, 1)
    on conflict (workspace_id, address) do update set
      ends = case when ops.is_open(f.ends, c_hour, clock_timestamp()) then f.ends else excluded.ends end,
      sent = case when ops.is_open(f.ends, c_hour, clock_timestamp()) then f.sent + 1 else 1 end;
  end if;
  return next;
end $function$
;

CREATE OR REPLACE FUNCTION ops.take_passcode(p_workspace uuid, p_number text, p_prefix text, p_sends integer, p_sends_ms bigint, p_workspace_limit integer, p_prefix_limit integer, p_ms bigint)
 RETURNS TABLE(refused text, retry_ms bigint)
 LANGUAGE plpgsql
AS $function$
declare
  v_all ops.passcode_window;
  v_prefix ops.passcode_window;
  v_known boolean;
  v_sent bigint[];
  v_now bigint;
begin
  perform set_config('synchronous_commit', 'off', true);
  if p_workspace_limit is not null then
    v_all := ops.lock_passcode_window(p_workspace, '', p_ms);
  end if;
  if p_prefix_limit is not null then
    v_prefix := ops.lock_passcode_window(p_workspace, p_prefix, p_ms);
  end if;
  loop
    select n.sent into v_sent from ops.passcode_number n where n.workspace_id = p_workspace and n.number = p_number for update;
    v_known := found;
    v_now := ops.now_ms();
    select coalesce(array_agg(t order by t), '{}') into v_sent from unnest(v_sent) t where t <= v_now;
    if cardinality(v_sent) >= p_sends and v_sent[1] + p_sends_ms > v_now then
      return query select 'number', v_sent[1] + p_sends_ms - v_now;
      return;
    elsif v_prefix.used >= p_prefix_limit then
      return query select 'prefix', v_prefix.ends - v_now;
      return;
    elsif v_all.used >= p_workspace_limit then
      return query select 'workspace', v_all.ends - v_now;
      return;
    end if;
    if not v_known then
      insert into ops.passcode_number values (p_workspace, p_number, array[v_now], v_now) on conflict do nothing;
      -- Another send came first: its row is there now.
      exit when found;
    else
      update ops.passcode_number n
      set sent = case when cardinality(v_sent) >= p_sends then v_sent[cardinality(v_sent) - p_sends + 2:] else v_sent end || v_now, last_at = v_now
      where n.workspace_id = p_workspace and n.number = p_number;
      exit;
    end if;
  end loop;
  update ops.passcode_window w set ends = v_all.ends, used = v_all.used + 1 where w.workspace_id = p_workspace and w.prefix = v_all.prefix;
  update ops.passcode_window w set ends = v_prefix.ends, used = v_prefix.used + 1 where w.workspace_id = p_workspace and w.prefix = v_prefix.prefix;
end $function$
;

CREATE OR REPLACE FUNCTION ops.take_rates(p_key uuid[], p_limit integer[], p_want integer[], p_ahead integer[], p_window bigint[], p_spent integer[], p_ms bigint)
 RETURNS TABLE(item integer, granted integer, ahead integer, used integer, "window" bigint, ends_in bigint, blocked_for bigint)
 LANGUAGE plpgsql
AS $function$
declare
  r ops.rate_window;
  v_now bigint;
begin
  for item in select o from unnest(p_key) with ordinality k(key, o) order by key loop
    loop
      select * into r from ops.rate_window w where w.key = p_key[item] for update;
      exit when found;
      insert into ops.rate_window values (p_key[item], 0, 0, 0, 0) on conflict do nothing;
    end loop;
    v_now := ops.now_ms();
    if greatest(r.ends, r.blocked) > v_now + p_ms then
      r := (r.key, 0, 0, 0, 0);
    end if;
    granted := 0;
    ahead := 0;
    if r.blocked <= v_now then
      if r.blocked > 0 or r.ends <= v_now then
        r := (r.key, v_now + p_ms, 0, 0, 0);
      elsif r.ends = p_window[item] then
        r.used := r.used + p_spent[item];
        r.reserved := greatest(r.reserved - p_spent[item], 0);
      end if;
      granted := least(p_want[item], greatest(p_limit[item] - r.used, 0));
      r.used := r.used + granted;
      if granted < p_want[item] then
        r.blocked := v_now + p_ms;
      else
        -- Half of what is left: the next process finds some too.
        ahead := greatest(least(p_ahead[item], (p_limit[item] / 20 - r.reserved + 1) / 2, p_limit[item] - r.used - r.reserved), 0);
        r.reserved := r.reserved + ahead;
      end if;
      update ops.rate_window w set ends = r.ends, used = r.used, reserved = r.reserved, blocked = r.blocked where w.key = r.key;
    end if;
    used := r.used;
    "window" := r.ends;
    ends_in := r.ends - v_now;
    blocked_for := r.blocked - v_now;
    return next;
  end loop;
end $function$
;

CREATE OR REPLACE FUNCTION ops.take_sign_in(p_whom bytea, p_max integer, p_ms bigint)
 RETURNS TABLE(counted_at bigint, retry_ms bigint)
 LANGUAGE plpgsql
AS $function$
declare
  v_failed bigint[];
  v_now bigint;
begin
  loop
    select f.failed into v_failed from ops.sign_in_failure f where f.whom = p_whom for update;
    exit when found;
    insert into ops.sign_in_failure values (p_whom, '{}', 0) on conflict do nothing;
  end loop;
  v_now := ops.now_ms();
  -- Failures of one moment are some milliseconds apart, so up to a second ahead.
  select coalesce(array_agg(t order by t), '{}') into v_failed from unnest(v_failed) t where t > v_now - p_ms and t <= v_now + 1000;
  if cardinality(v_failed) >= p_max then
    return query select null::bigint, v_failed[1] + p_ms - v_now;
    return;
  end if;
  -- Two in one millisecond differ, so that one of them can be given back.
  if v_now <= v_failed[cardinality(v_failed)] then
    v_now := v_failed[cardinality(v_failed)] + 1;
  end if;
  update ops.sign_in_failure f set failed = v_failed || v_now, last_at = v_now where f.whom = p_whom;
  return query select v_now, null::bigint;
end $function$
;

CREATE OR REPLACE FUNCTION webhooks.admit(p_endpoint uuid[], p_workspace uuid[], p_commit bigint[], p_prepare bigint[], p_event text[], p_source text[], p_max integer, p_owner uuid, p_after bigint[])
 RETURNS bigint[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_ids bigint[];
begin
  if exists (select from unnest(p_endpoint) g(e) where not exists (select from webhooks.queue q where q.endpoint_id = g.e)) then
    insert into webhooks.queue as q (endpoint_id, workspace_id)
    select distinct g.e, g.w from unnest(p_endpoint, p_workspace) g(e, w) order by g.e on conflict do nothing;
  end if;
  perform from webhooks.queue q where q.endpoint_id = any (p_endpoint) order by q.endpoint_id for update;
  with given as materialized (
    select g.*, q.waiting + row_number() over (partition by g.e order by g.c, g.p) as nth_waiting,
      p_after[g.nth] is not null and q.owner = p_owner and q.lease_until > clock_timestamp() as is_owned
    from unnest(p_endpoint, p_workspace, p_commit, p_prepare, p_event, p_source) with ordinality g(e, w, c, p, event, source, nth)
    join webhooks.queue q on q.endpoint_id = g.e
  ), taken_up_to as materialized (
    select h.e from (select g.e, min(p_after[g.nth]) as after from given g where g.is_owned group by g.e) h
    where not exists (select from webhooks.delivery d where d.endpoint_id = h.e and d.id > h.after and d.due_at is null)
  ), written as (
    insert into webhooks.delivery as d (endpoint_id, workspace_id, position_commit, position_prepare, event, source)
    select g.e, g.w, g.c, g.p, g.event, g.source from given g where g.nth_waiting <= p_max order by g.c, g.p
    on conflict do nothing returning d.endpoint_id, d.position_commit, d.position_prepare, d.event, d.id
  ), counted as (
    update webhooks.queue q set waiting = q.waiting + n.added, lease_until = case when q.owner is not null then q.lease_until end
    from (select w.endpoint_id, count(*)::integer as added from written w group by 1) n where q.endpoint_id = n.endpoint_id
  )
  select coalesce(array_agg(case when g.nth_waiting > p_max then -1 when t.e is null then 0 else coalesce(w.id, 0) end order by n), '{}') into v_ids
  from generate_subscripts(p_endpoint, 1) n left join given g on g.nth = n left join taken_up_to t on t.e = g.e
    left join written w on w.endpoint_id = g.e and w.position_commit = g.c and w.position_prepare = g.p and w.event = g.event;
  return v_ids;
end $function$
;

CREATE OR REPLACE FUNCTION webhooks.ask_delivery(p_endpoint uuid, p_workspace uuid, p_delivery uuid, p_event text, p_source text, p_event_source text, p_a_minute integer)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  v_now timestamptz;
  v_ids uuid[];
  v_ats timestamptz[];
begin
  insert into webhooks.queue (endpoint_id, workspace_id) values (p_endpoint, p_workspace) on conflict do nothing;
  perform from webhooks.queue q where q.endpoint_id = p_endpoint and q.workspace_id = p_workspace for update;
  if not found then return 'gone'; end if;
  v_now := clock_timestamp();
  -- A clock that was ahead has left moments that are not to come for long.
  select coalesce(array_agg(a.id order by a.nth), '{}'), coalesce(array_agg(a.at order by a.nth), '{}') into v_ids, v_ats
  from webhooks.queue q cross join unnest(q.asked_id, q.asked_at) with ordinality a(id, at, nth)
  where q.endpoint_id = p_endpoint and a.at > v_now - interval '1 minute' and a.at < v_now + interval '1 minute';
  if exists (select from unnest(v_ids, v_ats) a(id, at) where a.id = p_delivery and a.at > v_now - interval '10 seconds') then return 'repeated'; end if;
  if cardinality(v_ids) >= p_a_minute then return 'too_many'; end if;
  if (select count(*) from (select from webhooks.delivery d where d.endpoint_id = p_endpoint and d.position_commit = 0 limit 100) w) = 100 then
    return 'too_many';
  end if;
  update webhooks.queue q set asked_id = v_ids || p_delivery, asked_at = v_ats || v_now,
    lease_until = case when q.owner is not null then q.lease_until end
  where q.endpoint_id = p_endpoint;
  update webhooks.delivery d set due_at = v_now
  where d.endpoint_id = p_endpoint and d.event = p_event and d.source in (p_source, p_event_source);
  if found then return 'waits'; end if;
  insert into webhooks.delivery (endpoint_id, workspace_id, position_commit, position_prepare, event, source, due_at)
  values (p_endpoint, p_workspace, 0, ('x' || substr(md5(p_delivery::text), 1, 15))::bit(60)::bigint, p_event, p_source, v_now);
  update webhooks.queue q set waiting = q.waiting + 1 where q.endpoint_id = p_endpoint;
  return 'asked';
end $function$
;

CREATE OR REPLACE FUNCTION webhooks.count_outcomes(p_endpoint uuid[], p_delivered integer[], p_retrying integer[], p_dropped integer[])
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into webhooks.outcomes as o (endpoint_id, slot, workspace_id, since, delivered, retrying, dropped)
  select g.e, extract(epoch from n.since)::bigint / 600 % 150, q.workspace_id, n.since, g.delivered, g.retrying, g.dropped
  from unnest(p_endpoint, p_delivered, p_retrying, p_dropped) g(e, delivered, retrying, dropped)
  join webhooks.queue q on q.endpoint_id = g.e
  cross join (select date_bin('10 minutes', clock_timestamp(), 'epoch') as since) n
  order by g.e
  on conflict (endpoint_id, slot) do update set since = excluded.since,
    delivered = excluded.delivered + case when o.since = excluded.since then o.delivered else 0 end,
    retrying = excluded.retrying + case when o.since = excluded.since then o.retrying else 0 end,
    dropped = excluded.dropped + case when o.since = excluded.since then o.dropped else 0 end
$function$
;

CREATE OR REPLACE FUNCTION webhooks.depth(p_limit integer)
 RETURNS TABLE(queues integer, waiting bigint, longest integer)
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
begin
  return query
  select count(*)::integer, coalesce(sum(c.waiting), 0)::bigint, coalesce(max(c.waiting), 0)
  from (select q.waiting from webhooks.queue q where q.free_at is not null order by q.free_at limit p_limit) c;
end $function$
;

CREATE OR REPLACE FUNCTION webhooks.drop_waiting(p_endpoint uuid, p_commit bigint, p_prepare bigint, p_all boolean)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform from webhooks.queue q where q.endpoint_id = p_endpoint for update;
  with gone as (
    delete from webhooks.delivery d where d.endpoint_id = p_endpoint and (d.position_commit, d.position_prepare) <= (p_commit, p_prepare)
    returning 1
  )
  update webhooks.queue q set waiting = greatest(0, q.waiting - (select count(*)::integer from gone)) where q.endpoint_id = p_endpoint;
  if p_all then
    delete from webhooks.attempt a where a.endpoint_id = p_endpoint;
    delete from webhooks.outcomes o where o.endpoint_id = p_endpoint;
    delete from webhooks.queue q where q.endpoint_id = p_endpoint;
  end if;
end $function$
;

CREATE OR REPLACE FUNCTION webhooks.release_queues(p_owner uuid, p_endpoint uuid[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform from webhooks.queue q where q.owner = p_owner and q.endpoint_id = any (p_endpoint) order by q.endpoint_id for update;
  update webhooks.queue q set owner = null, lease_until = case
    when exists (select from webhooks.delivery d where d.endpoint_id = q.endpoint_id and d.due_at is null) then null
    else (select min(d.due_at) from webhooks.delivery d where d.endpoint_id = q.endpoint_id and d.due_at is not null) end
  where q.owner = p_owner and q.endpoint_id = any (p_endpoint);
end $function$
;

CREATE OR REPLACE FUNCTION webhooks.set_workspace_status(p_workspace uuid, p_status text)
 RETURNS void
 LANGUAGE sql
AS $function$
  delete from webhooks.suspended_workspace s where s.workspace_id = p_workspace and p_status <> 'suspended';
  insert into webhooks.suspended_workspace (workspace_id) select p_workspace where p_status = 'suspended' on conflict do nothing;
$function$
;

CREATE OR REPLACE FUNCTION webhooks.settle_deliveries(p_endpoint uuid[], p_id bigint[], p_delay bigint[], p_counts boolean[], p_log_endpoint uuid[], p_log_delivery uuid[], p_log_event text[], p_log_attempt smallint[], p_log_outcome text[], p_log_status smallint[], p_log_error text[], p_log_ms integer[], p_log_at timestamp with time zone[], p_log_source text[])
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
begin
  perform set_config('synchronous_commit', 'off', true);
  perform from webhooks.queue q where q.endpoint_id = any (p_endpoint || p_log_endpoint) order by q.endpoint_id for update;
  with gone as (
    delete from webhooks.delivery d using unnest(p_endpoint, p_id, p_delay) g(e, id, delay)
    where g.delay is null and d.endpoint_id = g.e and d.id = g.id returning d.endpoint_id
  )
  update webhooks.queue q set waiting = greatest(0, q.waiting - n.done)
  from (select g.endpoint_id, count(*)::integer as done from gone g group by 1) n where q.endpoint_id = n.endpoint_id;
  if cardinality(array_remove(p_delay, null)) > 0 then
    update webhooks.delivery d set due_at = clock_timestamp() + g.delay * interval '1 millisecond', attempt = d.attempt + g.counts::int
    from unnest(p_endpoint, p_id, p_delay, p_counts) g(e, id, delay, counts)
    where g.delay is not null and d.endpoint_id = g.e and d.id = g.id;
  end if;
  if cardinality(p_log_endpoint) > 0 then
    with given as (
      select g.*, q.workspace_id, q.tries + row_number() over (partition by g.e order by g.nth) as number
      from unnest(p_log_endpoint, p_log_delivery, p_log_event, p_log_attempt, p_log_outcome, p_log_status, p_log_error, p_log_ms, p_log_at,
        p_log_source) with ordinality g(e, delivery, event, attempt, outcome, status, error, ms, at, source, nth)
      join webhooks.queue q on q.endpoint_id = g.e
    ), kept as (
      insert into webhooks.attempt as a (
        endpoint_id, slot, workspace_id, number, delivery_id, event, attempt, outcome, status, error, duration_ms, at, source)
      select g.e, g.number % 100, g.workspace_id, g.number, g.delivery, g.event, g.attempt, g.outcome, g.status, left(g.error, 200), g.ms, g.at,
        g.source
      from given g
      on conflict (endpoint_id, slot) do update set number = excluded.number, delivery_id = excluded.delivery_id, event = excluded.event,
        attempt = excluded.attempt, outcome = excluded.outcome, status = excluded.status, error = excluded.error,
        duration_ms = excluded.duration_ms, at = excluded.at, source = excluded.source
      returning a.endpoint_id
    )
    update webhooks.queue q set tries = q.tries + n.logged
    from (select k.endpoint_id, count(*) as logged from kept k group by 1) n where q.endpoint_id = n.endpoint_id;
  end if;
end $function$
;

CREATE OR REPLACE FUNCTION webhooks.take_deliveries(p_owner uuid, p_lease_ms bigint, p_new integer, p_endpoint uuid[], p_after bigint[], p_room integer[], p_claimed bigint[], p_new_room integer)
 RETURNS TABLE(endpoint_id uuid, workspace_id uuid, id bigint, position_commit bigint, position_prepare bigint, event text, source text, attempt smallint, retried boolean)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_now timestamptz := clock_timestamp();
  v_free uuid[];
begin
  perform set_config('synchronous_commit', 'off', true);
  if p_new > 0 then
    v_free := array(
      select q.endpoint_id from webhooks.queue q where q.free_at < v_now order by q.free_at limit 8 * p_new for update skip locked);
  end if;
  return query
  with free as materialized (
    select q.endpoint_id, q.workspace_id from unnest(v_free) with ordinality f(e, nth) join webhooks.queue q on q.endpoint_id = f.e order by f.nth
  ), looked as materialized (
    select f.endpoint_id, case
      when (select 1 from webhooks.suspended_workspace s where s.workspace_id = f.workspace_id limit 1) is not null then v_now + interval '1 minute'
      when (select 1 from webhooks.delivery d where d.endpoint_id = f.endpoint_id and d.due_at is null limit 1) is not null then '-infinity'
      else (select d.due_at from webhooks.delivery d where d.endpoint_id = f.endpoint_id and d.due_at is not null order by d.due_at limit 1)
      end as due
    from free f
  ), later as (
    update webhooks.queue q set owner = null, lease_until = coalesce(l.due, v_now + interval '1 minute')
    from looked l where q.endpoint_id = l.endpoint_id and (l.due > v_now or l.due is null)
  ), claimed as (
    update webhooks.queue q set owner = p_owner, lease_until = v_now + p_lease_ms * interval '1 millisecond'
    from (select l.endpoint_id from looked l where l.due <= v_now limit p_new) f where q.endpoint_id = f.endpoint_id returning q.endpoint_id
  ), mine as (
    select g.e, g.after, g.room from unnest(p_endpoint, p_after, p_room) g(e, after, room)
    where not exists (
      select from webhooks.queue q join webhooks.suspended_workspace s on s.workspace_id = q.workspace_id where q.endpoint_id = g.e)
    union all select c.endpoint_id, 0, p_new_room from claimed c
  )
  select j.endpoint_id, j.workspace_id, j.id, j.position_commit, j.position_prepare, j.event, j.source, j.attempt, j.retried
  from mine m cross join lateral (
    (select d.*, true as retried from webhooks.delivery d
     where d.endpoint_id = m.e and d.due_at <= v_now and d.id <> all (p_claimed) order by d.due_at limit m.room)
    union all
    (select d.*, false from webhooks.delivery d
     where d.endpoint_id = m.e and d.id > m.after and d.due_at is null order by d.id limit m.room)
  ) j;
end $function$
;

CREATE TRIGGER event_is_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON es.event FOR EACH STATEMENT EXECUTE FUNCTION es.refuse_rewrite();

CREATE TRIGGER event_is_not_misplaced BEFORE INSERT ON es.event FOR EACH ROW WHEN ((((new.created < (clock_timestamp() - '00:00:01'::interval)) OR (new.created > (clock_timestamp() + '00:00:01'::interval))) OR (current_setting('es.locked'::text, true) IS DISTINCT FROM 'on'::text))) EXECUTE FUNCTION es.refuse_misplaced();

create sequence inbox.claim_token;
