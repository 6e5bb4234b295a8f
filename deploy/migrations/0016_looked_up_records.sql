-- What DNS said of the records of a sender domain when somebody last had them looked up, for the page that shows them.

alter table ops.sender_domain_check
  add column looked_up_at timestamptz,
  add column found        jsonb;  -- texts by name, or null where no server said; bounded by who writes it
