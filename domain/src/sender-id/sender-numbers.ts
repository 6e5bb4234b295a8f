import type { WorkspaceId } from '../ids.ts'
import { type Command, type Decider, type Event, type EventDeclarations, INSTALLATION, Refused } from '../kernel.ts'

/** An own number, in E.164, of a sender ID of a workspace. It is published, as a domain is, and names no person. */
export type SenderNumber = Readonly<{ workspaceId: WorkspaceId; senderId: string; number: string }>

// Stored for ever: change only together with an upcast.
/** From this event on, texts of the sender ID leave from the number, and texts to the number belong to the workspace. */
type SmsSenderNumberSet = Event<'SmsSenderNumberSet', SenderNumber>
/** The number is free again. */
type SmsSenderNumberRemoved = Event<'SmsSenderNumberRemoved', SenderNumber>
export type SenderNumbersEvent = SmsSenderNumberSet | SmsSenderNumberRemoved
/** As the log has it. */
type DatedNumbersEvent = SenderNumbersEvent & Readonly<{ meta?: Readonly<{ at: string }> }>

export const senderNumbersDeclarations = {
  SmsSenderNumberSet: { version: 1 },
  SmsSenderNumberRemoved: { version: 1 },
} as const satisfies EventDeclarations & Record<SenderNumbersEvent['type'], unknown>

/** The number that one sender ID is to have; null for no number. */
type WantedNumber = Readonly<{ senderId: string; number: string | null }>

/** All at once, so that sender IDs of one workspace can exchange their numbers. Sender IDs that are left out keep theirs. */
export type AssignSenderNumbers = Command<'AssignSenderNumbers', { workspaceId: WorkspaceId; numbers: readonly WantedNumber[] }>

/** Buckets by the last two digits of a number, or of a workspace's id: an event copies the list of 256 buckets and one bucket, however many numbers there are. */
type Buckets<Entry> = readonly (readonly Entry[])[]
/** `isFree`: it had the number last. `former`: those that had it before, the last one first. */
type LastOwner = SenderNumber & Readonly<{ isFree: boolean; former: readonly SenderNumber[] }>
/** `since`: when it got the number; null where this process has set it, and not read it yet. */
type NumberedSender = SenderNumber & Readonly<{ since: string | null }>
export type SenderNumbersState = Readonly<{ byNumber: Buckets<LastOwner>; byWorkspace: Buckets<NumberedSender> }>

/** One stream for the whole installation: that is what makes a number unique, whichever process assigns it. */
export function senderNumbersStream(): string {
  return `smsnumbers-${INSTALLATION}`
}

const BUCKETS = 256
const bucketOf = (id: string): number => Number.parseInt(id.slice(-2), 16) || 0

const isSameSender = (one: SenderNumber, other: Readonly<{ workspaceId: WorkspaceId; senderId: string }>): boolean =>
  one.workspaceId === other.workspaceId && one.senderId.toLowerCase() === other.senderId.toLowerCase()

/** The sender ID that has the number, of whatever workspace. */
export function ownerOfNumber(state: SenderNumbersState, number: string): SenderNumber | undefined {
  const last = lastOwnerOfNumber(state, number)
  return last?.isFree ? undefined : last
}

/** The owner of the number, or its last one: a text to a number that is free answers the last owner's texts. */
function lastOwnerOfNumber({ byNumber }: SenderNumbersState, number: string): LastOwner | undefined {
  return byNumber[bucketOf(number)]?.find((one) => one.number === number)
}

/** Those that had the number, the present or last one first: a person may answer a text that left from it before it moved. */
export function ownersOfNumber(state: SenderNumbersState, number: string): readonly SenderNumber[] {
  const last = lastOwnerOfNumber(state, number)
  return last === undefined ? [] : [last, ...last.former]
}

/** The only one whose number ends with these digits; undefined where there are several. For a number that a gateway writes without its country. */
export function ownerOfNationalNumber({ byNumber }: SenderNumbersState, digits: string): SenderNumber | undefined {
  const owners = byNumber[bucketOf(digits)]?.filter(({ number }) => number.endsWith(digits)) ?? []
  return owners.length === 1 ? owners[0] : undefined
}

/** The own number of a sender ID, whatever the case of the name; null where it has none. */
export function numberOfSender(
  { byWorkspace }: SenderNumbersState,
  sender: Readonly<{ workspaceId: WorkspaceId; senderId: string }>,
): string | null {
  return byWorkspace[bucketOf(sender.workspaceId)]?.find((one) => isSameSender(one, sender))?.number ?? null
}

/** The workspaces whose texts under this sender ID leave from a number since then, and before it left from the name; null where that is not known. */
export function numberedSince(
  { byWorkspace }: SenderNumbersState,
  senderId: string,
): readonly Readonly<{ workspaceId: WorkspaceId; since: string | null }>[] {
  const all = byWorkspace.flat().filter((one) => isSameSender(one, { workspaceId: one.workspaceId, senderId }))
  return all.map(({ workspaceId, since }) => ({ workspaceId, since }))
}

const decide = ({ data: { workspaceId, numbers } }: AssignSenderNumbers, state: SenderNumbersState): readonly SenderNumbersEvent[] => {
  const changes = numbers.flatMap(({ senderId, number }) => {
    const before = numberOfSender(state, { workspaceId, senderId })
    return before === number ? [] : [{ senderId, number, before }]
  })
  const removed = changes.flatMap(({ senderId, before }) => (before === null ? [] : [{ workspaceId, senderId, number: before }]))
  const set = changes.flatMap(({ senderId, number }) => (number === null ? [] : [{ workspaceId, senderId, number }]))
  const taken = new Set<string>()
  for (const { number } of set) {
    const isFree = ownerOfNumber(state, number) === undefined || removed.some((one) => one.number === number)
    if (!isFree || taken.has(number)) throw new Refused('sender_number_taken', { number })
    taken.add(number)
  }
  return [
    ...removed.map((data): SenderNumbersEvent => ({ type: 'SmsSenderNumberRemoved', data })),
    ...set.map((data): SenderNumbersEvent => ({ type: 'SmsSenderNumberSet', data })),
  ]
}

/** A number that moves more often is the last ones' to answer for. */
const FORMER_OWNERS = 8

const formerOf = (last: LastOwner | undefined, now: SenderNumber): readonly SenderNumber[] => {
  if (last === undefined) return []
  const { workspaceId, senderId, number, former } = last
  return [{ workspaceId, senderId, number }, ...former].filter((one) => !isSameSender(one, now)).slice(0, FORMER_OWNERS)
}

const evolve = ({ byNumber, byWorkspace }: SenderNumbersState, { type, data, meta }: DatedNumbersEvent): SenderNumbersState => {
  const isFree = type === 'SmsSenderNumberRemoved'
  const without = <Entry extends SenderNumber>(bucket: readonly Entry[] = []) => bucket.filter(({ number }) => number !== data.number)
  const [digits, workspace] = [bucketOf(data.number), bucketOf(data.workspaceId)]
  const ofWorkspace = without(byWorkspace[workspace])
  const former = formerOf(lastOwnerOfNumber({ byNumber, byWorkspace }, data.number), data)
  return {
    byNumber: byNumber.with(digits, [...without(byNumber[digits]), { ...data, isFree, former }]),
    byWorkspace: byWorkspace.with(workspace, isFree ? ofWorkspace : [...ofWorkspace, { ...data, since: meta?.at ?? null }]),
  }
}

const NONE: Buckets<never> = Array.from({ length: BUCKETS }, () => [])

/** The own numbers behind sender IDs (M48). */
export const senderNumbers: Decider<AssignSenderNumbers, SenderNumbersEvent, SenderNumbersState> = {
  decide,
  evolve,
  initialState: { byNumber: NONE, byWorkspace: NONE },
}
