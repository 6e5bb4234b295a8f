import type { AppendContext } from '@tidings/codec'
import { Busy, type Clock, type CommandRunner } from '@tidings/commands'
import {
  type AddressFacts,
  asContactId,
  type ClaimKind,
  type ContactId,
  type ContactState,
  claim,
  claimStream,
  contact,
  contactStream,
  hasClaim,
  Refused,
} from '@tidings/domain'

// Claim, write, heal by fencing. A claim stream says who may hold an address; the owner's own stream says who does. A claim is
//   open     its owner's stream does not mention it: the owner is about to write, or crashed before it did;
//   held     the owner's stream names it: the owner has the address;
//   spent    the owner's stream excludes it, because the owner left the address or a rival fenced the claim: nothing can be written under
//            it any more, and the address is free for the next claim.
// A rival fences an open claim in the owner's stream before it takes the address over, so that the owner's append fails on its revision
// and every later decision of the owner on the fence. No clock decides who is right.

/** One address that a contact wants to hold, under the id of this attempt. `older`: digests that name its claim in a log from before M46. */
export type Claim = Readonly<{
  kind: ClaimKind
  value: string
  digest: string
  older: readonly string[]
  claimId: string
  ownerId: ContactId
}>

type ClaimRef = Readonly<{ claimId: string; ownerId: ContactId }>

/** The contact that holds an address, as its own stream says. */
type Holder = ClaimRef & Readonly<{ owner: ContactState }>

export type ClaimSteps = Readonly<{
  runner: CommandRunner
  clock: Clock
  context: AppendContext
  /** `clock.now()` when the caller gives up. */
  deadline: number
  /** Delays granted to the owner of an open claim before it is fenced; safety does not depend on them. */
  fenceDelaysMs: readonly number[]
}>

/** What is known of the address when the claim is ours; else the contact that holds it. Throws `Busy` at the deadline. */
export async function takeClaim(steps: ClaimSteps, wanted: Claim): Promise<Holder | Readonly<{ facts: AddressFacts }>> {
  let spent: ClaimRef | null = null
  while (steps.clock.now() < steps.deadline) {
    const rival = await tryToTake(steps, wanted, spent)
    if ('facts' in rival) return rival
    const holder = await settle(steps, rival)
    if (holder) return holder
    spent = rival
  }
  throw new Busy('the address stayed contended')
}

/**
 * The contact that holds the address, once it is known to: an open claim is fenced, so that a contact that takes the address from here on sees what is
 * known of it. Null where no contact has it.
 */
export async function settledHolder(
  steps: ClaimSteps,
  { kind, digest }: Readonly<{ kind: ClaimKind; digest: string }>,
): Promise<Holder | null> {
  const { workspaceId } = steps.context
  const { state } = await steps.runner.load({ decider: claim, stream: claimStream(workspaceId, kind, digest), workspaceId })
  return state.holder === null ? null : await settle(steps, state.holder)
}

/** Fences the claim, then frees the address; keeps a claim that turns out to be held. */
export async function giveUpClaim(steps: ClaimSteps, unwanted: Claim): Promise<void> {
  if (await fence(steps, unwanted)) await releaseClaim(steps, unwanted)
}

/** Frees an address whose claim is spent. */
export async function releaseClaim(
  { runner, context }: ClaimSteps,
  { kind, digest, claimId }: Readonly<{ kind: ClaimKind; digest: string; claimId: string }>,
): Promise<void> {
  await runner.execute({
    decider: claim,
    stream: claimStream(context.workspaceId, kind, digest),
    command: { type: 'ReleaseClaim', data: { claimId } },
    context: stepContext(context, claimId, 'release'),
  })
}

/** The command that takes a claim, also for one append together with the owner's events. */
export function takeCommand(context: AppendContext, { kind, digest, claimId, ownerId }: Claim, insteadOf?: string) {
  return {
    decider: claim,
    stream: claimStream(context.workspaceId, kind, digest),
    command: { type: 'TakeClaim', data: { claimId, ownerId, ...(insteadOf !== undefined && { insteadOf }) } },
    context: stepContext(context, claimId, 'take'),
    isNew: true,
  } as const
}

/** The claim that is in the way, which the refusal names; what is known of the address when there was none. */
async function tryToTake(
  { runner, context }: ClaimSteps,
  wanted: Claim,
  spent: ClaimRef | null,
): Promise<ClaimRef | Readonly<{ facts: AddressFacts }>> {
  try {
    const { state } = await runner.execute(takeCommand(context, wanted, spent?.claimId))
    return { facts: state.facts }
  } catch (error) {
    const rival = error instanceof Refused && error.code === 'claim_held' ? error.context : {}
    if (typeof rival.claimId !== 'string' || typeof rival.ownerId !== 'string') throw error
    return { claimId: rival.claimId, ownerId: asContactId(rival.ownerId) }
  }
}

/** Waits until a claim is held or spent, and fences it where it stays open: its holder, or null for a spent one. */
async function settle(steps: ClaimSteps, { claimId, ownerId }: ClaimRef): Promise<Holder | null> {
  for (const delay of [...steps.fenceDelaysMs, null]) {
    const owner = await ownerOf(steps, ownerId)
    if (hasClaim(owner, claimId)) return { claimId, ownerId, owner }
    if (owner.spentClaims.includes(claimId)) return null
    if (delay !== null) await steps.clock.sleep(delay)
  }
  return (await fence(steps, { claimId, ownerId })) ? null : { claimId, ownerId, owner: await ownerOf(steps, ownerId) }
}

/** Makes an open claim spent. False when it is held. */
async function fence({ runner, context }: ClaimSteps, { claimId, ownerId }: ClaimRef): Promise<boolean> {
  try {
    await runner.execute({
      decider: contact,
      stream: contactStream(context.workspaceId, ownerId),
      command: { type: 'AbandonClaim', data: { contactId: ownerId, claimId } },
      context: stepContext(context, claimId, 'fence'),
    })
    return true
  } catch (error) {
    if (error instanceof Refused && error.code === 'claim_in_use') return false
    throw error
  }
}

async function ownerOf({ runner, context: { workspaceId } }: ClaimSteps, contactId: ContactId): Promise<ContactState> {
  return (await runner.load({ decider: contact, stream: contactStream(workspaceId, contactId), workspaceId })).state
}

/** A step has the id of its claim, so that a repetition repeats the same append. */
function stepContext(context: AppendContext, claimId: string, name: string): AppendContext {
  return { ...context, commandId: `${claimId}.${name}` }
}
