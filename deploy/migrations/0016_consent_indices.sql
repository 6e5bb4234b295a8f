-- The indices that profiles_email_consent and profiles_sms_consent of the profiles projection are, for tables that were built before. With
-- 200 000 profiles, the first page of a consent that few or none of them have took 190-470 ms: it was looked for through all of them.
do $$
begin
  if to_regclass('read.profiles') is not null then
    create index if not exists profiles_email_consent on read.profiles using btree (workspace_id, email_consent, created_at, id)
      where email_consent <> 'never_subscribed';
    create index if not exists profiles_sms_consent on read.profiles using btree (workspace_id, sms_consent, created_at, id)
      where sms_consent <> 'never_subscribed';
  end if;
end $$;
