import { numbersDialled, phoneBeside, writtenNumber } from '@tidings/addresses'
import type { StateLoader } from '@tidings/commands'
import {
  type ContactId,
  INSTALLATION,
  numberedSince,
  ownerOfNationalNumber,
  ownersOfNumber,
  type SenderNumber,
  type SenderNumbersState,
  senderNumbers,
  senderNumbersStream,
  smsSenderKey,
  type WorkspaceId,
} from '@tidings/domain'
import { kyselyOn } from '@tidings/postgres'
import { lastSmsTo, type ReadModels, writtenAmong } from '@tidings/read-models'
import type { Pool } from 'pg'
import type { Addressee, LastSms } from './inbound.ts'

/** The last text to a number from a sender. `workspaceId`: of this workspace alone; `without`: none that these wrote since then, null for none at all. */
type LastSmsQuery = Readonly<{ phone: string; senderKey: string; workspaceId?: WorkspaceId; without?: ReturnType<typeof numberedSince> }>

/** `writtenAmong`: those of the numbers, at most two, that were written to through the sender; `contactWith`: the contact that has the number now. */
export type FindingAddressee = Readonly<{
  runner: StateLoader
  lastSmsTo: (of: LastSmsQuery) => Promise<LastSms | null>
  writtenAmong: (of: Readonly<{ phones: readonly string[]; senderKey: string }>) => Promise<readonly string[]>
  contactWith: (workspaceId: WorkspaceId, phone: string) => Promise<ContactId | null>
}>

/** `ownerOf`: of `@tidings/unique-contacts`. */
type Finding = Readonly<{
  runner: FindingAddressee['runner']
  pool: Pool
  uniqueContacts: Readonly<{ ownerOf: (workspaceId: WorkspaceId, kind: 'phone', value: string) => Promise<ContactId | null> }>
}>

/** The owners of texts, by the read side and the log. */
export function findingAddressee({ runner, pool, uniqueContacts }: Finding): FindingAddressee {
  const db = kyselyOn<ReadModels>(pool)
  return {
    runner,
    lastSmsTo: async (of) => {
      const row = await lastSmsTo(db, of)
      if (row === undefined) return null
      return { workspaceId: row.workspace_id, contactId: row.contact_id, messageId: row.message_id, phone: row.phone, sender: row.sender }
    },
    writtenAmong: (of) => writtenAmong(db, of),
    contactWith: (workspaceId, phone) => uniqueContacts.ownerOf(workspaceId, 'phone', phone),
  }
}

/**
 * Finds the owner of a text: the workspace that has the number as its own, or had it last, whatever was sent last (M48), where it knows the person; else of
 * one that had the number before, and wrote to him; else of the workspace that last wrote to him through that sender (N188). Null where there is none, or where that workspace has no contact for the person.
 * `from`: as `askingNumber` has it.
 */
export async function findAddressee(finding: FindingAddressee, from: string, to: string): Promise<Addressee | null> {
  const { runner, lastSmsTo, contactWith } = finding
  const { state } = await runner.load({ decider: senderNumbers, stream: senderNumbersStream(), workspaceId: INSTALLATION })
  const phone = await wholeNumber(finding, state, { from, to })
  if (phone === null) return null
  const number = numberOf(to)
  const owned = number === null ? null : await ofOwners(finding, ownersOfNumber(state, number), phone)
  if (owned !== null) return owned
  const senderKey = smsSenderKey(to)
  const without = numberedSince(state, to.trim())
  // Texts that left from a number are not answered by the name, unless they are the only ones: the last of a sender may have come behind one of its name.
  const named = without.length === 0 ? null : await lastSmsTo({ phone, senderKey, without })
  const last = named ?? (await lastSmsTo({ phone, senderKey }))
  if (last !== null) return { ...last, contactId: (await contactWith(last.workspaceId, phone)) ?? last.contactId }
  const digits = nationalDigits(to)
  const national = digits === null ? undefined : ownerOfNationalNumber(state, digits)
  return national === undefined ? null : await ofOwner(finding, national, phone)
}

type Text = Readonly<{ from: string; to: string }>

/**
 * The number of a person whom a gateway wrote as he is dialled inside a country: the only one that was written to through the sender, else the one in
 * the country of the own number that the text is to. Null where neither tells.
 */
async function wholeNumber({ writtenAmong }: FindingAddressee, state: SenderNumbersState, { from, to }: Text): Promise<string | null> {
  if (from.startsWith('+')) return from
  const [only, other] = await writtenAmong({ phones: numbersDialled(from), senderKey: smsSenderKey(to) })
  if (only !== undefined && other === undefined) return only
  const digits = nationalDigits(to)
  const owner = digits === null ? undefined : ownerOfNationalNumber(state, digits)
  return phoneBeside(from, owner?.number ?? '')
}

/**
 * Answers with the present owner, where it knows the person; else with the last one before it that wrote to the person: what is answered is a
 * text that left from the number while it was that one's.
 */
async function ofOwners(finding: FindingAddressee, owners: readonly SenderNumber[], phone: string): Promise<Addressee | null> {
  for (const [before, owner] of owners.entries()) {
    const found = await ofOwner(finding, owner, phone)
    if (found !== null && (before === 0 || found.messageId !== null)) return found
  }
  return null
}

/** A person who was never written to from the number may write to it too, where the workspace knows him. */
async function ofOwner({ lastSmsTo, contactWith }: FindingAddressee, owner: SenderNumber, phone: string): Promise<Addressee | null> {
  const { workspaceId, senderId: sender } = owner
  const last = await lastSmsTo({ phone, senderKey: smsSenderKey(sender), workspaceId })
  const contactId = (await contactWith(workspaceId, phone)) ?? last?.contactId
  return contactId === undefined ? null : { workspaceId, contactId, messageId: last?.messageId ?? null, phone, sender }
}

/** The number in E.164, by the parser of every other number (M47); null if it is not an international number. */
export function numberOf(written: string): string | null {
  const digits = /^\+?([1-9]\d{4,14})$/.exec(writtenNumber(written))?.[1]
  return digits === undefined ? null : writtenNumber(`+${digits}`)
}

/** A number with fewer digits is a short code. */
const NATIONAL = /^0?([1-9]\d{6,12})$/

/** Reads a number that a gateway writes as it is dialled inside its country. */
const nationalDigits = (written: string): string | null => NATIONAL.exec(writtenNumber(written))?.[1] ?? null
