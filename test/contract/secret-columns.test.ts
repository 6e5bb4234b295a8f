import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** The columns whose names sound like a secret, and why no reader of the database can use what is in them. */
const COLUMNS: Readonly<Record<string, string>> = {
  'inbox.job.token': 'the number of a claim',
  'inbox.bundle.token': 'the number of a claim',
  'keys.holder.master_key': 'the fingerprint of a master key',
  'keys.purpose_key.master_key_id': 'the fingerprint of a master key',
  'ops.api_key_usage.key_id': 'an id',
  'ops.idempotency.body_hash': 'a keyed digest',
  'ops.idempotency.key': 'what a caller named a request by; its answer is sealed',
  'ops.inbound_text.id_key': 'a keyed digest',
  'ops.inbound_text.number_key': 'a keyed digest',
  'ops.people_import.digest': 'the digest of a file and of how it is read',
  'ops.rate_window.key': 'a digest of the caller',
  'ops.session.by_link': 'whether a session was begun by a link',
  'ops.session.credential': 'a digest of the hash of the password that the session was begun with',
  'ops.session.token_hash': 'the digest of 256 random bits',
  'ops.sign_in_link.credential': 'a digest of the hash of the password that the link was made under',
  'ops.sign_in_link.token_hash': 'the digest of 256 random bits',
  'read.api_keys.hash': 'the digest of 256 random bits',
  'read.custom_fields.key': 'the name of a field',
  'read.push_subscriptions.endpoint_hash': 'the digest of an endpoint',
  'read.sender_domains.token': 'is published in the DNS',
  'read.sms_recipients.sender_key': 'the key of a sender, by its name',
  'read.waiting_texts.sender_key': 'the key of a sender, by its name',
  'read.webhooks.url': 'the address that the API shows its workspace; the signing secret is not in it',
}

const SOUNDS_SECRET = /secret|passw|hash$|private|credential|token|auth|salt|(^|_)key(_id)?$|signing|digest|url|link/i

const schema = readFileSync(new URL('./schema.snapshot.sql', import.meta.url), 'utf8')
const columns = [...schema.matchAll(/^create (?:unlogged )?table ([\w.]+) \(\n(.*?)\n\)/gms)].flatMap(([, table, body = '']) =>
  [...body.matchAll(/^ {2}"?(\w+)"? /gm)].flatMap(([, column = '']) => (column === 'constraint' ? [] : [`${table}.${column}`])),
)

test('no table has a column that sounds like a secret, but for those whose content opens nothing', () => {
  expect(columns.length).toBeGreaterThan(300)
  expect(columns.filter((name) => SOUNDS_SECRET.test(name.split('.').at(-1)!)).toSorted()).toEqual(Object.keys(COLUMNS).toSorted())
})
