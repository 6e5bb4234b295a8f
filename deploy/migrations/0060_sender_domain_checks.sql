-- Owned by consumers: when DNS was last asked about a sender domain. What it said is in the log. A domain without a row was never asked.
create table ops.sender_domain_check (
  workspace_id     uuid        not null,
  domain           text        not null,
  proof_asked_at   timestamptz,
  listing_asked_at timestamptz,
  primary key (workspace_id, domain)
);
