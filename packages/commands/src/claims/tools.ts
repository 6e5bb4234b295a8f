import type { AppendContext } from '@tidings/codec'
import { type ClaimKind, claimStream } from '@tidings/domain'
import { Busy } from '../errors.ts'
import type { CommandRunner } from '../execution.ts'
import type { Pace } from '../pace.ts'
import { type Claim, type Claiming, claiming } from './claiming.ts'
import { ContactPointTaken, isClaimLost } from './contact-point-taken.ts'
import { claimIdFor } from './ids.ts'
import { type KeyLocks, keyLocks } from './key-locks.ts'

export type ContactPointsOptions = Readonly<{
  runner: CommandRunner
  /** The keyed digest of a normalised value, without dashes. */
  claimDigest: (workspaceId: string, kind: ClaimKind, value: string) => Promise<string> | string
  /** Starts making the new contact's encryption key while the claim is on its way; a failure shows again at the append. */
  prepareContact?: (workspaceId: string, contactId: string) => Promise<unknown>
  /** Told about a claim that could not be freed after its command was done; the next claimer heals it. */
  onUnreleased?: (error: unknown) => void
  /** Pauses granted to a slow claimer before it is fenced. */
  patience?: readonly number[]
  deadlineMs?: number
  pace: Pace
}>

/** A value before anybody claims it. */
export type Point = Pick<Claim, 'kind' | 'value' | 'digest'>

export type Attempt = Readonly<{ commandId: string; attempt: number; ownerId: string }>

/** What the operations on contact points are built of. */
export type Tools = Readonly<{
  options: ContactPointsOptions
  locked: <T>(workspaceId: string, points: readonly Point[], work: () => Promise<T>) => Promise<T>
  points: (workspaceId: string, values: Readonly<{ email?: string | null; phone?: string | null }>) => Promise<readonly Point[]>
  claimingUntil: (deadline: number, context: AppendContext) => Claiming
  deadline: () => number
  /** Runs attempts 0, 1, 2 … until one is not thrown out by a fence. */
  attempts: <T>(deadline: number, run: (attempt: number) => Promise<T>) => Promise<T>
}>

/** Up to a quarter of a second; a claim is written about 5 ms before its contact. */
const DEFAULT_PATIENCE = [10, 20, 40, 80, 100]
/** Standing in line behind others of this process for the same address counts too: 50 at once took up to 2.6 s on a crowded machine. */
const DEFAULT_DEADLINE_MS = 5_000

export const toolsFor = (options: ContactPointsOptions): Tools => {
  const { runner, pace, claimDigest, patience = DEFAULT_PATIENCE, deadlineMs = DEFAULT_DEADLINE_MS } = options
  const locks: KeyLocks = keyLocks(1_000)

  const point = async (workspaceId: string, kind: ClaimKind, value: string | null | undefined): Promise<readonly Point[]> =>
    typeof value === 'string' ? [{ kind, value, digest: await claimDigest(workspaceId, kind, value) }] : []

  return {
    options,
    locked: (workspaceId, points, work) =>
      locks(
        points.map(({ kind, digest }) => claimStream(workspaceId, kind, digest)),
        work,
      ),
    // 'email' before 'phone' is the sorted order in which claims are taken.
    points: async (workspaceId, { email, phone }) => [
      ...(await point(workspaceId, 'email', email)),
      ...(await point(workspaceId, 'phone', phone)),
    ],
    claimingUntil: (deadline, context) => claiming({ runner, pace, context, deadline, patience }),
    deadline: () => pace.now() + deadlineMs,
    attempts: async (deadline, run) => {
      for (let attempt = 0; ; attempt++) {
        try {
          return await run(attempt)
        } catch (error) {
          if (!isClaimLost(error)) throw error
          if (pace.now() >= deadline) throw new Busy('the address stayed contended')
        }
      }
    },
  }
}

export const claimsFor = (points: readonly Point[], attempt: Attempt): readonly Claim[] =>
  points.map((point) => ({ ...point, ownerId: attempt.ownerId, claimId: claimIdFor({ ...attempt, kind: point.kind }) }))

/** `standing`: the claim id that stands for each value: one of those just taken, or one under which the owner holds the value already. */
export type Standing = Readonly<{ taken: readonly Claim[]; standing: ReadonlyMap<ClaimKind, string> }>

/** Takes every claim, or none: on a conflict it gives up what it took and throws `ContactPointTaken`. */
export const takeAll = async (steps: Claiming, wanted: readonly Claim[]): Promise<Standing> => {
  const standing = new Map<ClaimKind, string>()
  const taken: Claim[] = []
  for (const claim of wanted) {
    const holder = await steps.take(claim)
    if (holder && holder.ownerId !== claim.ownerId) {
      for (const unwanted of taken) await steps.giveUp(unwanted)
      throw new ContactPointTaken(claim.kind, holder.ownerId, holder.owner)
    }
    if (holder === null) taken.push(claim)
    standing.set(claim.kind, holder?.claimId ?? claim.claimId)
  }
  return { taken, standing }
}

/** Runs the write under the claims; gives them up when the write was refused for certain, and keeps them while its outcome is unknown. */
export const underClaims = async <T>(steps: Claiming, claims: readonly Claim[], write: () => Promise<T>): Promise<T> => {
  try {
    return await write()
  } catch (error) {
    if (isCertainRefusal(error)) for (const claim of claims) await steps.giveUp(claim)
    throw error
  }
}

const isCertainRefusal = (error: unknown): boolean => error instanceof Error && error.name === 'Refused'
