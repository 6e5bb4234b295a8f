/**
 * The tables that a backup contains: those that the log does not give again, and the log itself. All of it is read in one snapshot, so a checkpoint, the
 * jobs admitted up to it and the log agree. In the order in which it is written and put back.
 */
export const KEPT = [
  'es.event',
  'es.stream_meta',
  'keys.master_key',
  'keys.subject_key',
  'keys.workspace_secret',
  'keys.purpose_key',
  'keys.ended_details',
  'keys.ended_passcodes',
  'ops.content',
  // A retry after the restore must find the answer of the first request, else it would be executed twice.
  'ops.idempotency',
  'ops.api_key_usage',
  // A group without its checkpoint would begin at the head and skip events that were not consumed yet.
  'ops.consumer_checkpoint',
  'ops.consumer_partition',
  'ops.dead_letter',
  // The log does not know who looked at what.
  'ops.noted_act',
  // Only this table knows which parts were delivered, and receipts come for days.
  'ops.sms_part',
  // A text that a gateway was answered for, and that is not decided yet: no gateway sends it again.
  'ops.inbound_text',
  'inbox.job',
  'inbox.bundle',
  // Without them a message that was queued would let no run go on, and the frequency cap would begin anew.
  'ops.flow_message',
  'ops.marketing_message',
  // The recipients that campaigns have not begun yet are not in the log.
  'ops.campaign_run',
  'ops.campaign_recipient',
  'ops.erasure',
  'webhooks.queue',
  'webhooks.delivery',
  'webhooks.suspended_workspace',
  'lists.rule',
  'lists.rule_fact',
  'lists.run',
  'lists.due',
  // The tree is in the snapshot of its log: heads that were signed before prove the restored log.
  'proof.tree',
  'proof.tile',
  'proof.head',
] as const

export type KeptTable = (typeof KEPT)[number]

/** The tables that a backup leaves out, and the way in which each comes back. Tables of the schema `read` belong to projections, which build them from the log. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  'ops.sender_domain_check': 'DNS is asked about every sender domain anew',
  'ops.projection_checkpoint': 'projections begin anew: their tables are not in the backup either',
  'ops.analyst_role': 'each run of an analyst’s projection writes its row before it signs in',
  'ops.projection_build': 'the tables beside the live ones are not in the backup either',
  'ops.dashboard_job': 'the work was of another installation, and the tables beside the live ones are not in the backup',
  'ops.projection_lease': 'the owners of leases do not run where it is restored',
  'ops.projection_status': 'written anew by the owner of the projection',
  'ops.parked_stream': 'parked again by a rebuild, where the cause is still there',
  'ops.relay': 'the topic it published to is not in the backup: a new relay, with a new id, begins at the lowest floor',
  'ops.relay_partition': 'as the relay',
  'ops.task_lease': 'the owners of leases do not run where it is restored',
  'ops.log_mark': 'written anew, where the log lies outside of the database',
  'ops.bounce_mailbox':
    'the mailbox is read from its beginning: what the restored log does not have is in it, and what it has changes nothing',
  'ops.process': 'processes that do not run where it is restored',
  'keys.holder': 'processes that do not run where it is restored',
  'ops.session': 'a session that ended after the backup must not come back: users sign in again',
  'ops.sign_in_link': 'a link that was used after the backup must not sign in again: `tidings user link` makes another',
  'ops.sign_in_failure': 'counts of a quarter of an hour',
  'ops.link_mails': 'counts of a day',
  'ops.people_import': 'an import begins anew, and finds the contacts that it has written',
  'ops.rate_window': 'counts of a minute that is over',
  'ops.send_rate': 'times that are over',
  'ops.passcode_number': 'counts of ten minutes that are over',
  'ops.passcode_window': 'counts of an hour that is over',
  'ops.form_confirmation': 'counts of an hour and of a day',
  'ops.confirmation_mailbox': 'counts of a day',
  'ops.confirmation_domain': 'counts of a day, and evidence that comes again',
  'inbox.suspended_workspace': 'written again by the first worker that claims mail of a suspended workspace',
  'inbox.claims_remembered': 'made anew: no worker of the installation that the backup is of can write to the restored one',
  'es.event_trace': 'traces of a day, which were recorded elsewhere',
  'es.append_lock': 'has no rows: appends lock it',
  'proof.verification': 'what was verified was another installation: it begins anew',
  'webhooks.attempt': 'attempts were made by another installation',
  'webhooks.outcomes': 'as the attempts',
  'outbox.message': 'a development aid that may be lost',
  'public.schema_migration': 'the manifest has the migrations',
}

/** The schemas whose tables must all be listed above; other schemas in the same database are not of Tidings. */
export const SCHEMAS = ['es', 'keys', 'ops', 'inbox', 'outbox', 'webhooks', 'lists', 'proof'] as const
