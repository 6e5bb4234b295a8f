import type { InboundSms } from '@tidings/providers'

/** The message that was last written to a number: of whom, through which sender. */
export type LastSms = Readonly<{ workspaceId: string; contactId: string; messageId: string; phone: string; sender: string }>

/** `id`: the same for every delivery of one message. `isIdGuessed`: another message soon after may have it too. */
export type TakenSms = InboundSms & Readonly<{ id: string; isIdGuessed?: boolean; requestId: string }>
