import type { AppendContext } from '@tidings/codec'
import { type ContactState, contact, contactStream, holdsClaim, Refused } from '@tidings/domain'
import type { CommandRunner } from '../execution.ts'
import type { Pace } from '../pace.ts'

export type ClaimedBy = Readonly<{ claimId: string; ownerId: string }>

/** Who holds a value, by the word of their own stream. */
export type Holder = ClaimedBy & Readonly<{ owner: ContactState }>

export type ClaimingDeps = Readonly<{
  runner: CommandRunner
  pace: Pace
  context: AppendContext
  /** `pace.now()` when the caller gives up. */
  deadline: number
  /** Pauses granted to a claimer whose contact is not there yet, before it is fenced. Politeness only. */
  patience: readonly number[]
}>

/** Every step has the id of its claim, so whoever repeats it repeats the same append. */
export const stepOf = (context: AppendContext, claimId: string, name: string): AppendContext => ({
  ...context,
  commandId: `${claimId}.${name}`,
})

/**
 * Makes sure that nothing can ever be written under the claim: the slow writer's append fails on its revision, and its next decision on
 * the fence. False when it was too late, because the owner holds the value.
 */
export const fence = async ({ runner, context }: ClaimingDeps, { claimId, ownerId }: ClaimedBy): Promise<boolean> => {
  try {
    await runner.execute({
      decider: contact,
      stream: contactStream(context.workspaceId, ownerId),
      command: { type: 'AbandonClaim', data: { contactId: ownerId, claimId } },
      context: stepOf(context, claimId, 'fence'),
    })
    return true
  } catch (error) {
    if (error instanceof Refused && error.code === 'claim_in_use') return false
    throw error
  }
}

/** Finds out what a claim is worth: its holder, or null once it can never become true any more. */
export const settle = async (deps: ClaimingDeps, { claimId, ownerId }: ClaimedBy): Promise<Holder | null> => {
  for (const pause of [...deps.patience, null]) {
    const owner = await ownerOf(deps, ownerId)
    if (holdsClaim(owner, claimId)) return { claimId, ownerId, owner }
    if (owner.spentClaims.includes(claimId)) return null
    if (pause !== null) await deps.pace.sleep(pause)
  }
  return (await fence(deps, { claimId, ownerId })) ? null : { claimId, ownerId, owner: await ownerOf(deps, ownerId) }
}

const ownerOf = async ({ runner, context: { workspaceId } }: ClaimingDeps, contactId: string): Promise<ContactState> =>
  (await runner.load({ decider: contact, stream: contactStream(workspaceId, contactId), workspaceId })).state
