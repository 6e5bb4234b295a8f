import type { InboundSms } from '@tidings/providers'

/** Who last wrote to a number, through which sender. */
export type LastSms = Readonly<{ workspaceId: string; contactId: string; phone: string; sender: string }>

/** `id`: the same for every delivery of one message. */
export type TakenSms = InboundSms & Readonly<{ id: string; requestId: string }>
