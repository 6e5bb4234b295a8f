import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readReceipt } from '../../src/smpp/receipt-text.ts'

const NO_TLVS = { id: '', state: null }

describe('the text of a receipt', () => {
  test.each([
    ['id:0123456789 sub:001 dlvrd:001 submit date:0610191530 done date:0610191531 stat:DELIVRD err:000 Text:Hello', 'delivered', null],
    ['ID:0123456789 STAT:delivrd', 'delivered', null],
    ['stat:UNDELIV id:0123456789 err:27B', 'failed', 'undeliverable'],
    ['id:0123456789 sub:001 stat:EXPIRED err:', 'failed', 'expired'],
    ['id: 0123456789 stat: DELETED', 'failed', 'undeliverable'],
    ['id:0123456789 stat:REJECTD', 'failed', 'provider_rejected'],
    ['id:0123456789 stat:ACCEPTD', 'sent', null],
    ['id:0123456789 stat:ENROUTE', 'sent', null],
    ['id:0123456789 stat:UNKNOWN', 'sent', null],
    ['id:0123456789\r\nstat:DELIVERED\r\n', 'delivered', null],
    ['id:0123456789 stat:UNDELIV text:stat:DELIVRD id:9', 'failed', 'undeliverable'],
  ])('%j', (text, status, reason) => {
    expect(readReceipt(text, NO_TLVS)).toMatchObject({ id: '0123456789', status, reason })
  })

  test.each(['', 'stat:DELIVRD', 'id:1', 'id:1 stat:', 'id:1 stat:PERHAPS', 'text:id:1 stat:DELIVRD', 'bid:1 stat:DELIVRD'])(
    '%j names no message or no state',
    (text) => expect(readReceipt(text, NO_TLVS)).toBeNull(),
  )

  test('keeps the state and the error as the SMSC wrote them', () => {
    expect(readReceipt('id:1 stat:UNDELIV err:27B text:x', NO_TLVS)?.detail).toBe('UNDELIV err:27B')
    expect(readReceipt(`id:1 stat:UNDELIV err:${'9'.repeat(200)}`, NO_TLVS)?.detail).toHaveLength(100)
  })

  test('may be anything', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.nat(20), (text, id, state) => {
        const read = readReceipt(text, { id, state })
        if (read !== null) expect(read.id).toMatch(/^[\x21-\x7e]{1,65}$/)
      }),
    )
  })
})

describe('the TLVs of a receipt', () => {
  test.each([
    [2, 'delivered', null],
    [3, 'failed', 'expired'],
    [4, 'failed', 'undeliverable'],
    [5, 'failed', 'undeliverable'],
    [8, 'failed', 'provider_rejected'],
    [1, 'sent', null],
    [6, 'sent', null],
    [7, 'sent', null],
  ])('state %i', (state, status, reason) => {
    expect(readReceipt('', { id: 'abc', state })).toMatchObject({ id: 'abc', status, reason, detail: `message_state ${state}` })
  })

  test('win over the text, and are read up to the end of an id that was left out', () => {
    expect(readReceipt('id:1 stat:UNDELIV', { id: 'abc\u0004\u0027', state: 2 })).toMatchObject({ id: 'abc', status: 'delivered' })
    expect(readReceipt('id:1 stat:DELIVRD', { id: '', state: 99 })).toMatchObject({ id: '1', status: 'delivered' })
  })
})
