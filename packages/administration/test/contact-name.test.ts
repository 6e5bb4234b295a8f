import { expect, test } from 'vitest'
import { parseContactName } from '../src/contact-name.ts'

const ID = '0192b1f0-0000-7000-8000-00000000000a'

test.each([
  [ID, 'id', ID],
  [` ${ID.toUpperCase()} `, 'id', ID],
  ['eve@exämple.test', 'email', 'eve@exämple.test'],
  ['EVE@xn--exmple-cua.test', 'email', 'eve@exämple.test'],
  [' eve@EXÄMPLE.test ', 'email', 'eve@exämple.test'],
  ['+972501112233', 'phone', '+972501112233'],
  ['050-111 2233', 'phone', '050-111 2233'],
  ['00972 50 111 22 33', 'phone', '00972 50 111 22 33'],
  ['\u2066+972-50-111-2233\u2069', 'phone', '\u2066+972-50-111-2233\u2069'],
])('%j names a contact (M65)', (text, kind, value) => {
  expect(parseContactName(text)).toEqual({ kind, value })
})

test.each(['eve', 'eve@', '@example.com', 'a b@example.com', '12', '0192b1f0-0000-7000-8000', '', 'eve@example.com,adam@example.com'])(
  '%j is no UUID, email or phone',
  (text) => {
    expect(parseContactName(text)).toBeNull()
  },
)
