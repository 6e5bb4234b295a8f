import type { AppendContext } from '@tidings/codec'
import { type ClaimKind, type ContactState, claim, claimStream, contact, contactStream, holdsClaim, Refused } from '@tidings/domain'
import { Busy } from '../errors.ts'
import type { CommandRunner } from '../execution.ts'
import type { Pace } from '../pace.ts'

/** One value that somebody wants to hold, under the id of this try. */
export type Claim = Readonly<{ kind: ClaimKind; value: string; digest: string; claimId: string; ownerId: string }>

type Holder = Readonly<{ claimId: string; ownerId: string; owner: ContactState }>

export type Claiming = Readonly<{
  /** Null when the claim is ours; else who holds the value, by the word of their own stream. */
  take: (wanted: Claim) => Promise<Holder | null>
  /** Makes sure that nothing can be written under the claim any more, then frees the value; keeps a claim that turns out to be in use. */
  giveUp: (unwanted: Claim) => Promise<void>
  /** Frees a value whose claim id is spent. */
  release: (spent: Pick<Claim, 'kind' | 'digest' | 'claimId'>) => Promise<void>
}>

type Deps = Readonly<{
  runner: CommandRunner
  pace: Pace
  context: AppendContext
  /** `pace.now()` when the caller gives up. */
  deadline: number
  /** Pauses granted to a claimer whose contact is not there yet, before it is fenced. Politeness only. */
  patience: readonly number[]
}>

/**
 * The steps of claim → write → heal by fencing. A claim stream says who may hold a value; the owner's own stream says who does.
 * A claim without its owner's word is a crash or a slow writer: it is fenced in the owner's stream before it is taken over,
 * so that the writer's append, and every decision it makes again, must fail. No clock decides who is right.
 */
export const claiming = ({ runner, pace, context, deadline, patience }: Deps): Claiming => {
  const { workspaceId } = context
  /** Every step has the id of its claim, so whoever repeats it repeats the same append. */
  const step = (claimId: string, name: string): AppendContext => ({ ...context, commandId: `${claimId}.${name}` })

  const ownerOf = async (contactId: string): Promise<ContactState> =>
    (await runner.load({ decider: contact, stream: contactStream(workspaceId, contactId), workspaceId })).state

  const fence = ({ claimId, ownerId }: Pick<Claim, 'claimId' | 'ownerId'>) =>
    inUseOr(() =>
      runner.execute({
        decider: contact,
        stream: contactStream(workspaceId, ownerId),
        command: { type: 'AbandonClaim', data: { contactId: ownerId, claimId } },
        context: step(claimId, 'fence'),
      }),
    )

  /** Null once the claim can never become true any more. */
  const settle = async ({ claimId, ownerId }: Pick<Claim, 'claimId' | 'ownerId'>): Promise<Holder | null> => {
    for (const pause of [...patience, null]) {
      const owner = await ownerOf(ownerId)
      if (holdsClaim(owner, claimId)) return { claimId, ownerId, owner }
      if (owner.spentClaims.includes(claimId)) return null
      if (pause !== null) await pace.sleep(pause)
    }
    return (await fence({ claimId, ownerId })) ? null : { claimId, ownerId, owner: await ownerOf(ownerId) }
  }

  const take = async ({ kind, digest, claimId, ownerId }: Claim): Promise<Holder | null> => {
    let rival: Readonly<{ claimId: string; ownerId: string }> | null = null
    while (pace.now() < deadline) {
      const data = rival ? { claimId, ownerId, insteadOf: rival.claimId } : { claimId, ownerId }
      rival = await heldByOr(() =>
        runner.execute({
          decider: claim,
          stream: claimStream(workspaceId, kind, digest),
          command: { type: 'TakeClaim', data },
          context: step(claimId, 'take'),
          isNew: true,
        }),
      )
      if (rival === null) return null
      const holder = await settle(rival)
      if (holder) return holder
    }
    throw new Busy('the address stayed contended')
  }

  const release: Claiming['release'] = async ({ kind, digest, claimId }) => {
    await runner.execute({
      decider: claim,
      stream: claimStream(workspaceId, kind, digest),
      command: { type: 'ReleaseClaim', data: { claimId } },
      context: step(claimId, 'release'),
    })
  }

  return {
    take,
    giveUp: async (unwanted) => {
      if (await fence(unwanted)) await release(unwanted)
    },
    release,
  }
}

const inUseOr = async (work: () => Promise<unknown>): Promise<boolean> => {
  try {
    await work()
    return true
  } catch (error) {
    if (error instanceof Refused && error.code === 'claim_in_use') return false
    throw error
  }
}

/** The claim that stands in the way, which the refusal names, or null when there was none. */
const heldByOr = async (work: () => Promise<unknown>): Promise<Readonly<{ claimId: string; ownerId: string }> | null> => {
  try {
    await work()
    return null
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== 'claim_held') throw error
    const { claimId, ownerId } = error.context
    if (typeof claimId !== 'string' || typeof ownerId !== 'string') throw error
    return { claimId, ownerId }
  }
}
