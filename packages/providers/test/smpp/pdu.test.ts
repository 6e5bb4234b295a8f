import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FrameReader } from '../../src/smpp/connection.ts'
import { decodePdu, encodePdu, statusName } from '../../src/smpp/pdu.ts'

const fields = {
  source_addr: '49170',
  esm_class: 0x40,
  data_coding: 8,
  validity_period: '00000R',
  receipted_message_id: 'abc',
  message_state: 2,
}

test('texts stay the bytes that they were, whatever data_coding and the times say', () => {
  const bytes = Buffer.from([5, 0, 3, 1, 2, 1, 0xd8, 0x3d])
  const pdu = decodePdu(encodePdu('deliver_sm', 7, { ...fields, short_message: bytes }))
  expect(pdu).toMatchObject({ command: 'deliver_sm', isResponse: false, status: 0, sequence: 7 })
  expect(pdu.bytes('short_message')).toEqual(bytes)
  expect([pdu.text('source_addr'), pdu.int('data_coding'), pdu.text('receipted_message_id'), pdu.int('message_state')]).toEqual([
    '49170',
    8,
    'abc',
    2,
  ])
})

test('a field that is missing, or is not a field, is empty', () => {
  const pdu = decodePdu(encodePdu('submit_sm_resp', 1, { command_status: 0x58 }))
  expect([pdu.status, pdu.text('message_id'), pdu.int('message_state'), pdu.bytes('short_message').length]).toEqual([0x58, '', null, 0])
  expect(pdu.text('constructor')).toBe('')
})

test('a status has its name', () => {
  expect([statusName(0x58), statusName(0x411)]).toEqual(['ESME_RTHROTTLED (0x58)', '0x411'])
})

test('PDUs are found wherever the chunks break', () => {
  const pdus = [1, 2, 3].map((sequence) => encodePdu('deliver_sm', sequence, { ...fields, short_message: Buffer.alloc(sequence * 40) }))
  const stream = Buffer.concat(pdus)
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1 }), (sizes) => {
      const reader = new FrameReader()
      const frames: Buffer[] = []
      for (let at = 0, n = 0; at < stream.length; n++) {
        const end = at + sizes[n % sizes.length]!
        frames.push(...reader.read(stream.subarray(at, end)))
        at = end
      }
      expect(frames).toEqual(pdus)
    }),
  )
})

test('bytes of any kind decode or are refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.constantFrom(0x05, 0x103, 0x80000004, 0x21, 0x80000009), (body, command) => {
      const bytes = Buffer.concat([Buffer.alloc(16), body])
      bytes.writeUInt32BE(bytes.length)
      bytes.writeUInt32BE(command, 4)
      try {
        decodePdu(bytes).text('source_addr')
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError)
      }
    }),
  )
})
