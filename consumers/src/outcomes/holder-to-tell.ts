import type { AppendContext, Recorded } from '@tidings/codec'
import type { CommandExecutor, StateLoader } from '@tidings/commands'
import type { AddressFacts, ClaimKind, ContactId, ContactState, MessageEvent } from '@tidings/domain'

type Holder = Readonly<{ contactId: ContactId; state: ContactState }>

/** Keeps facts with an address, and answers with the contact that has it now: `noteFacts` of `@tidings/unique-contacts`. */
export type NoteFacts = (
  request: Readonly<{ context: AppendContext; kind: ClaimKind; value: string; facts: AddressFacts }>,
) => Promise<Holder | null>

type Telling = Readonly<{ commands: CommandExecutor & StateLoader; noteFacts?: NoteFacts | undefined }>
type AddressOutcome = Readonly<{ contactId: ContactId; kind: ClaimKind; value: string; facts: AddressFacts; cause: Recorded<MessageEvent> }>

/**
 * Keeps what a message found out with the address that it was sent to, before any contact is notified: a contact that takes the address later sees
 * it (M45). Answers with the contact that has it now, where that is another than the message's.
 */
export async function holderToTell(
  { noteFacts }: Telling,
  { contactId, kind, value, facts, cause }: AddressOutcome,
): Promise<Holder | null> {
  const { workspaceId, requestId, at } = cause.meta
  const context = { commandId: `${cause.id}:address`, workspaceId, actor: 'pipeline', requestId, causationId: cause.id, at }
  const holder =
    (await noteFacts?.({ context: { ...context, commandId: `${cause.id}:${facts.reasons.join('+')}` }, kind, value, facts })) ?? null
  return holder === null || holder.contactId === contactId ? null : holder
}
