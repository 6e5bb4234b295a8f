import type { AppendContext } from '@tidings/codec'
import { type AddressFacts, type ClaimKind, type ContactId, type ContactState, claim, claimStream } from '@tidings/domain'
import { type AddressClaims, eldest } from './address-claims.ts'
import { type ClaimSteps, settledHolder } from './claim-protocol.ts'

// What is known of an address is in its claim stream (M45). It is appended there first; then the contact that holds the address is notified, and
// an open claim is fenced before. So each contact learns of it: one that took the address earlier because it is notified, one that takes it later
// because its `ClaimTaken` comes behind the fact.

type AddressRef = Readonly<{ kind: ClaimKind; digest: string }>

/** `KeepAddressFacts` of what a contact's stream says, `NoteAddressFacts` of what was found out. */
export async function writeFacts(
  { runner, context }: ClaimSteps,
  { kind, digest }: AddressRef,
  command: Readonly<{ type: 'KeepAddressFacts' | 'NoteAddressFacts'; data: AddressFacts }>,
): Promise<void> {
  await runner.execute({
    decider: claim,
    stream: claimStream(context.workspaceId, kind, digest),
    command,
    context: { ...context, commandId: `${context.commandId}.facts.${digest}` },
  })
}

export type NoteFactsRequest = Readonly<{ context: AppendContext; kind: ClaimKind; value: string; facts: AddressFacts }>

/** Keeps the facts with the address, and answers with the contact that has it and is to be notified; null where none has. */
export async function noteAddressFacts(
  claims: AddressClaims,
  { context, kind, value, facts }: NoteFactsRequest,
): Promise<Readonly<{ contactId: ContactId; state: ContactState }> | null> {
  const steps = claims.stepsUntil(claims.deadline(), context)
  const [address] = await claims.addressesOf(context.workspaceId, { [kind]: value })
  if (address === undefined) return null
  await writeFacts(steps, address, { type: 'NoteAddressFacts', data: facts })
  const digests = [address.digest, ...address.older]
  const holder = eldest(await Promise.all(digests.map((digest) => settledHolder(steps, { kind, digest }))))
  return holder && { contactId: holder.ownerId, state: holder.owner }
}

/** Nothing is known against the addresses any more, by the word of an operator (G44), or of the person that answers at it. */
export async function liftAddressFacts(
  claims: AddressClaims,
  { context, ...values }: Readonly<{ context: AppendContext; email: string | null; phone: string | null }>,
): Promise<void> {
  const { runner } = claims.options
  for (const { kind, digest } of await claims.addressesOf(context.workspaceId, values))
    await runner.execute({
      decider: claim,
      stream: claimStream(context.workspaceId, kind, digest),
      command: { type: 'LiftAddressFacts', data: {} },
      context: { ...context, commandId: `${context.commandId}.facts.${digest}` },
    })
}
