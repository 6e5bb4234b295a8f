/** What is used of the library, which brings no types. */
declare module 'smpp' {
  import type { EventEmitter } from 'node:events'
  import type { Server } from 'node:net'

  type Fields = Record<string, unknown>

  export class PDU {
    static maxLength: number
    constructor(command: string | Buffer, fields?: Fields)
    command: string
    command_id: number
    command_status: number
    sequence_number: number;
    [field: string]: unknown
    isResponse(): boolean
    response(fields?: Fields): PDU
    toBuffer(): Buffer
    _filter(direction: 'encode' | 'decode'): void
  }

  export interface Session extends EventEmitter {
    socket: import('node:net').Socket
    send(pdu: PDU): boolean
    deliver_sm(fields: Fields, answered?: (pdu: PDU) => void): boolean
    enquire_link(answered?: (pdu: PDU) => void): boolean
    unbind(answered?: (pdu: PDU) => void): boolean
    pause(): void
    resume(): void
    close(): void
    destroy(): void
  }

  const library: Readonly<{
    PDU: typeof PDU
    errors: Readonly<Record<string, number>>
    createServer: (
      options: Readonly<{ key?: string; cert?: string }>,
      listener: (session: Session) => void,
    ) => Server & { sessions: Session[] }
  }>
  export default library
}
