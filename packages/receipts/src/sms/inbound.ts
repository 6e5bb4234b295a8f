import type { ContactId, MessageId, WorkspaceId } from '@tidings/domain'
import type { InboundSms } from '@tidings/providers'

/** The message that was last written to a number: of whom, through which sender. */
export type LastSms = Readonly<{ workspaceId: WorkspaceId; contactId: ContactId; messageId: MessageId; phone: string; sender: string }>

/** The addressee of a text: a contact of a workspace, which answers as `sender`. `messageId`: the message that the text answers; null if none is known. */
export type Addressee = Readonly<{
  workspaceId: WorkspaceId
  contactId: ContactId
  messageId: MessageId | null
  phone: string
  sender: string
}>

/** `id`: the same for every delivery of one message. `isIdGuessed`: another message soon after may have it too. */
export type TakenSms = InboundSms & Readonly<{ id: string; isIdGuessed?: boolean; requestId: string }>
