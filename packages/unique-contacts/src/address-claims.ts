import { type AppendContext, uuidv5 } from '@tidings/codec'
import { Busy, type Clock, type CommandRunner } from '@tidings/commands'
import { type AddressFacts, asContactId, type ClaimKind, type ContactId, claimStream, Refused, type WorkspaceId } from '@tidings/domain'
import { AddressTaken } from './address-taken.ts'
import { type Claim, type ClaimSteps, giveUpClaim, settledHolder, takeClaim } from './claim-protocol.ts'
import { createKeyLocks } from './key-locks.ts'

export type UniqueContactsOptions = Readonly<{
  runner: CommandRunner
  /** The keyed digest of an address, without dashes: the same for every spelling of it. */
  claimDigest: (workspaceId: WorkspaceId, kind: ClaimKind, value: string) => Promise<string> | string
  /** Digests of it in a log from before M46, beside that one. */
  olderDigests?: (workspaceId: WorkspaceId, kind: ClaimKind, value: string) => Promise<readonly string[]>
  /** Creates the new contact's encryption key while its address is claimed; a failure shows again at the append. */
  createKey?: (workspaceId: WorkspaceId, contactId: ContactId) => Promise<unknown>
  /** Called with the failure to free a claim after its command was done; the next claimer of the address heals it. */
  onUnreleased?: (error: unknown) => void
  fenceDelaysMs?: readonly number[]
  deadlineMs?: number
  clock: Clock
}>

/** An address before it is claimed. */
export type Address = Readonly<{ kind: ClaimKind; value: string; digest: string; older: readonly string[] }>

/** What creating and changing a contact share. */
export type AddressClaims = Readonly<{
  options: UniqueContactsOptions
  /** Digests of the addresses in the order in which they are claimed. */
  addressesOf: (workspaceId: WorkspaceId, values: Readonly<{ email?: string | null; phone?: string | null }>) => Promise<readonly Address[]>
  /** Runs `work` while no other work of this process runs for one of the addresses. */
  locked: <T>(workspaceId: WorkspaceId, addresses: readonly Address[], work: () => Promise<T>) => Promise<T>
  stepsUntil: (deadline: number, context: AppendContext) => ClaimSteps
  deadline: () => number
  /** Runs attempts 0, 1, 2 … until one is not refused by a fence. */
  attempts: <T>(deadline: number, run: (attempt: number) => Promise<T>) => Promise<T>
}>

/** A quarter of a second in all; a claim is written about 5 ms before its contact. */
const FENCE_DELAYS_MS = [10, 20, 40, 80, 100]
/** Includes the wait for other commands of this process on the same address: 50 at once took up to 2.6 s on a busy machine. */
const DEADLINE_MS = 5_000
const MAX_WAITING_PER_ADDRESS = 1_000

export function createAddressClaims(options: UniqueContactsOptions): AddressClaims {
  const { runner, clock, claimDigest, olderDigests = async () => [], fenceDelaysMs = FENCE_DELAYS_MS, deadlineMs = DEADLINE_MS } = options
  const locks = createKeyLocks(MAX_WAITING_PER_ADDRESS)

  const addressOf = async (workspaceId: WorkspaceId, kind: ClaimKind, value: string | null | undefined): Promise<readonly Address[]> =>
    typeof value === 'string'
      ? [{ kind, value, digest: await claimDigest(workspaceId, kind, value), older: await olderDigests(workspaceId, kind, value) }]
      : []

  return {
    options,
    addressesOf: async (workspaceId, { email, phone }) => [
      ...(await addressOf(workspaceId, 'email', email)),
      ...(await addressOf(workspaceId, 'phone', phone)),
    ],
    locked: (workspaceId, addresses, work) => {
      const streams = addresses.map(({ kind, digest }) => claimStream(workspaceId, kind, digest))
      return locks(streams, work)
    },
    stepsUntil: (deadline, context) => ({ runner, clock, context, deadline, fenceDelaysMs }),
    deadline: () => clock.now() + deadlineMs,
    attempts: async (deadline, run) => {
      for (let attempt = 0; ; attempt++) {
        try {
          return await run(attempt)
        } catch (error) {
          if (!isClaimLost(error)) throw error
          // A process that stood still has lost one race, and not every one.
          if (attempt > 0 && clock.now() >= deadline) throw new Busy('the address stayed contended')
        }
      }
    },
  }
}

const NAMESPACE = '5f0f8f0e-2d3f-5c57-9c3b-2b8f6f2f4a11'
const VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7/

/**
 * The contact id of a command's n-th attempt, the same when the command runs again.
 * It sorts by the command's time where the command id does (version 7): inserts stay at the right edge of the primary key's index.
 */
export function contactIdFor(commandId: string, attempt: number): ContactId {
  const derived = uuidv5(`${commandId}|contact|${attempt}`, NAMESPACE)
  return asContactId(VERSION_7.test(commandId) ? `${commandId.slice(0, 14)}7${derived.slice(15)}` : derived)
}

/** The claims of one attempt: a repetition of it claims under the same ids. */
export function claimsFor(
  addresses: readonly Address[],
  attempt: Readonly<{ commandId: string; attempt: number; ownerId: ContactId }>,
): readonly Claim[] {
  return addresses.map((address) => ({ ...address, ownerId: attempt.ownerId, claimId: claimIdFor({ ...attempt, kind: address.kind }) }))
}

/** The id of one logical claim: a repeated attempt claims under the same id, every other claim has another. */
function claimIdFor(of: Readonly<{ commandId: string; attempt: number; kind: ClaimKind; ownerId: ContactId }>): string {
  return uuidv5(`${of.commandId}|${of.kind}|${of.ownerId}|${of.attempt}`, NAMESPACE)
}

/** `claimIds`: the claim under which the owner may hold each address, one of those just taken or an older one. */
type TakenClaim = Readonly<{
  taken: readonly Claim[]
  claimIds: ReadonlyMap<ClaimKind, string>
  /** What is known of the addresses that were taken. */
  facts: ReadonlyMap<ClaimKind, AddressFacts>
}>

/** Takes every claim, or none: on a conflict it gives up what it took and throws `AddressTaken`. */
export async function takeAll(steps: ClaimSteps, wanted: readonly Claim[]): Promise<TakenClaim> {
  const claimIds = new Map<ClaimKind, string>()
  const facts = new Map<ClaimKind, AddressFacts>()
  const taken: Claim[] = []
  for (const claim of wanted) {
    const outcome = (await holderBefore(steps, claim)) ?? (await takeClaim(steps, claim))
    if ('facts' in outcome) {
      taken.push(claim)
      facts.set(claim.kind, outcome.facts)
    } else if (outcome.ownerId !== claim.ownerId) {
      for (const unwanted of taken) await giveUpClaim(steps, unwanted)
      throw new AddressTaken(claim.kind, outcome.ownerId, outcome.owner)
    }
    claimIds.set(claim.kind, 'facts' in outcome ? claim.claimId : outcome.claimId)
  }
  return { taken, claimIds, facts }
}

/**
 * Another contact that has held the address since before M46; of several the eldest, which reads find as well. Null where no older version can have
 * claimed it otherwise.
 */
async function holderBefore(
  steps: ClaimSteps,
  { kind, digest, older, ownerId }: Claim,
): Promise<Awaited<ReturnType<typeof settledHolder>>> {
  const digests = older.length === 0 ? [] : [digest, ...older]
  const holders = await Promise.all(digests.map((one) => settledHolder(steps, { kind, digest: one })))
  return eldest(holders.filter((holder) => holder !== null && holder.ownerId !== ownerId))
}

/** The owner that was created first, by its id; null if there is none. */
export function eldest<T extends Readonly<{ ownerId: ContactId }> | null>(owners: readonly T[]): T | null {
  return owners.reduce<T | null>((one, other) => (one === null || (other !== null && other.ownerId < one.ownerId) ? other : one), null)
}

/** Writes under the claims; gives them up when the write was refused for certain, and keeps them while its outcome is unknown. */
export async function writeUnderClaims<T>(steps: ClaimSteps, claims: readonly Claim[], write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (error instanceof Refused) for (const claim of claims) await giveUpClaim(steps, claim)
    throw error
  }
}

/** The decider's refusal of a fenced claim id: the next attempt has new ids. */
function isClaimLost(error: unknown): boolean {
  return error instanceof Refused && error.code === 'claim_lost'
}
