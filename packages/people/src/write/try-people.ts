import { emailKey } from '@tidings/addresses'
import type { StreamReader } from '@tidings/codec'
import {
  asContactId,
  type ClaimedValue,
  type ContactEvent,
  type ContactId,
  type ContactState,
  contact,
  IMPORT,
  Refused,
  unknownContact,
  type WorkspaceId,
} from '@tidings/domain'
import type { PoolClient } from 'pg'
import { LineRefused } from '../line/given-consents.ts'
import type { Person } from '../line/person-of.ts'
import { keysOfPerson } from './keys-of-person.ts'
import { changedDetails, type KnownPerson, type LastStatements, newerConsents, readKnownPerson, statementsAfter } from './known-person.ts'
import { type Addresses, isMeant, type LineOfPerson, type LineOutcome, reasonOf, TWO_PEOPLE } from './write-person.ts'

export type Trying = Readonly<{ client: PoolClient; log: StreamReader; workspaceId: WorkspaceId; now: () => string }>

/** Decides lines one after the other as an import would, and writes nothing. What the lines before would have made is in a table of this connection alone. */
export type TriedPeople = Readonly<{
  load: (people: readonly Person[]) => Promise<void>
  decide: (line: LineOfPerson) => Promise<LineOutcome>
  save: () => Promise<void>
}>

export async function tryPeople({ client, log, workspaceId, now }: Trying): Promise<TriedPeople> {
  await client.query('create temporary table if not exists tried_people (key text primary key, contact_id uuid)')
  await client.query('create temporary table if not exists tried_contacts (contact_id uuid primary key, person jsonb not null)')
  await client.query('truncate tried_people, tried_contacts')
  /** By address, whom it would have after the lines before; null where none has it any more. */
  let holders = new Map<string, string | null>()
  let people = new Map<string, KnownPerson>()
  let changed = new Set<string>()

  const load = async (wanted: readonly Person[]): Promise<void> => {
    const keys = [...new Set(wanted.flatMap(keysOfPerson))]
    const { rows } = await client.query<{ key: string; contact_id: string | null; person: KnownPerson | null }>(
      'select key, contact_id, person from tried_people left join tried_contacts using (contact_id) where key = any($1::text[])',
      [keys],
    )
    holders = new Map(rows.map(({ key, contact_id }) => [key, contact_id]))
    people = new Map(rows.flatMap(({ person }) => (person === null ? [] : [[person.contactId, person]])))
    changed = new Set()
  }

  const save = async (): Promise<void> => {
    const ids = [...changed]
    await client.query(
      `insert into tried_contacts (contact_id, person) select * from unnest($1::uuid[], $2::jsonb[])
       on conflict (contact_id) do update set person = excluded.person`,
      [ids, ids.map((id) => JSON.stringify(people.get(id)))],
    )
    const keys = [...holders.keys()]
    await client.query(
      `insert into tried_people (key, contact_id) select * from unnest($1::text[], $2::uuid[])
       on conflict (key) do update set contact_id = excluded.contact_id`,
      [keys, keys.map((key) => holders.get(key) ?? null)],
    )
  }
  return { load, decide: (line) => decide({ log, workspaceId, now, holders, people, changed }, line), save }
}

type Deciding = Omit<Trying, 'client'> &
  Readonly<{ holders: Map<string, string | null>; people: Map<string, KnownPerson>; changed: Set<string> }>

const decide = async (trying: Deciding, { line, person, shown }: LineOfPerson): Promise<LineOutcome> => {
  const { email, phone } = person
  const byEmail = await holderOf(trying, { email }, shown.email)
  const byPhone = await holderOf(trying, { phone }, shown.phone)
  if (byEmail !== null && byPhone !== null && byEmail.contactId !== byPhone.contactId) throw new LineRefused(TWO_PEOPLE)
  const known = byEmail ?? byPhone
  const contactId = known?.contactId ?? asContactId(`00000000-0000-7000-8000-${line.toString(16).padStart(12, '0')}`)
  const events = decided(person, known, contactId)
  keep(trying, { known, contactId, events })
  if (known === null) return 'created'
  return events.length === 0 ? 'unchanged' : 'updated'
}

type Decided = Readonly<{ known: KnownPerson | null; contactId: ContactId; events: readonly ContactEvent[] }>

const keep = ({ holders, people, changed, now }: Deciding, { known, contactId, events }: Decided): void => {
  const state = events.reduce<ContactState>(contact.evolve, known?.state ?? unknownContact)
  const last = events.reduce<LastStatements>((before, event) => statementsAfter(before, event, now()), known?.last ?? {})
  for (const key of known === null ? [] : keysOfPerson(known.state)) holders.set(key, null)
  for (const key of keysOfPerson(state)) holders.set(key, contactId)
  people.set(contactId, { contactId, state, last })
  changed.add(contactId)
}

const decided = (person: Person, known: KnownPerson | null, contactId: ContactId): readonly ContactEvent[] => {
  const { email, phone, details } = person
  const data = {
    contactId,
    ...(email !== undefined && { email: claimed('email', email, known) }),
    ...(phone !== undefined && { phone: claimed('phone', phone, known) }),
    consents: newerConsents(person, known),
  }
  try {
    return known === null
      ? contact.decide({ type: 'CreateContact', data: { ...data, details, source: IMPORT } }, unknownContact)
      : contact.decide({ type: 'UpdateContact', data: { ...data, details: changedDetails(person, known) } }, known.state)
  } catch (error) {
    throw error instanceof Refused ? new LineRefused(reasonOf(error)) : error
  }
}

/** The claims of a trial are never written. An address in another spelling is no other address. */
const claimed = (kind: 'email' | 'phone', value: string, known: KnownPerson | null): ClaimedValue => {
  const had = known?.state[kind] ?? null
  const isSame = had !== null && kind === 'email' && emailKey(had) === emailKey(value)
  return { value: isSame ? had : value, claimId: `tried ${kind} ${value}` }
}

/** By the lines before, else by the read side. */
const holderOf = async (
  { log, workspaceId, holders, people }: Deciding,
  address: Addresses,
  shownId: ContactId | null,
): Promise<KnownPerson | null> => {
  const [key = ''] = keysOfPerson(address)
  const held = holders.get(key)
  if (held !== undefined) return held === null ? null : (people.get(held) ?? null)
  if (shownId === null) return null
  const known = people.get(shownId) ?? (await readKnownPerson(log, { workspaceId, contactId: shownId }))
  return known !== null && isMeant(address, known.state) ? known : null
}
