import { type ClaimKind, claim, claimStream, Refused } from '@tidings/domain'
import { Busy } from '../errors.ts'
import { type ClaimedBy, type ClaimingDeps, fence, type Holder, settle, stepOf } from './settling.ts'

/** One value that somebody wants to hold, under the id of this try. */
export type Claim = Readonly<{ kind: ClaimKind; value: string; digest: string; claimId: string; ownerId: string }>

export type Claiming = Readonly<{
  /** Null when the claim is ours; else who holds the value, by the word of their own stream. */
  take: (wanted: Claim) => Promise<Holder | null>
  /** Makes sure that nothing can be written under the claim any more, then frees the value; keeps a claim that turns out to be in use. */
  giveUp: (unwanted: Claim) => Promise<void>
  /** Frees a value whose claim id is spent. */
  release: (spent: Pick<Claim, 'kind' | 'digest' | 'claimId'>) => Promise<void>
}>

/**
 * The steps of claim → write → heal by fencing. A claim stream says who may hold a value; the owner's own stream says who does.
 * A claim without its owner's word is a crash or a slow writer: it is fenced in the owner's stream before it is taken over,
 * so that the writer's append, and every decision it makes again, must fail. No clock decides who is right.
 */
export const claiming = (deps: ClaimingDeps): Claiming => ({
  take: (wanted) => take(deps, wanted),
  giveUp: async (unwanted) => {
    if (await fence(deps, unwanted)) await release(deps, unwanted)
  },
  release: (spent) => release(deps, spent),
})

const take = async (deps: ClaimingDeps, wanted: Claim): Promise<Holder | null> => {
  let rival: ClaimedBy | null = null
  while (deps.pace.now() < deps.deadline) {
    rival = await tryToTake(deps, wanted, rival)
    if (rival === null) return null
    const holder = await settle(deps, rival)
    if (holder) return holder
  }
  throw new Busy('the address stayed contended')
}

/** The claim that stands in the way, which the refusal names, or null when there was none. */
const tryToTake = async ({ runner, context }: ClaimingDeps, wanted: Claim, settled: ClaimedBy | null): Promise<ClaimedBy | null> => {
  const { kind, digest, claimId, ownerId } = wanted
  try {
    await runner.execute({
      decider: claim,
      stream: claimStream(context.workspaceId, kind, digest),
      command: { type: 'TakeClaim', data: { claimId, ownerId, ...(settled && { insteadOf: settled.claimId }) } },
      context: stepOf(context, claimId, 'take'),
      isNew: true,
    })
    return null
  } catch (error) {
    const rival = error instanceof Refused && error.code === 'claim_held' ? error.context : {}
    if (typeof rival.claimId !== 'string' || typeof rival.ownerId !== 'string') throw error
    return { claimId: rival.claimId, ownerId: rival.ownerId }
  }
}

const release = async ({ runner, context }: ClaimingDeps, { kind, digest, claimId }: Pick<Claim, 'kind' | 'digest' | 'claimId'>) => {
  await runner.execute({
    decider: claim,
    stream: claimStream(context.workspaceId, kind, digest),
    command: { type: 'ReleaseClaim', data: { claimId } },
    context: stepOf(context, claimId, 'release'),
  })
}
