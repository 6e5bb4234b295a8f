import { expect, test } from 'vitest'
import { redact } from '../../src/twilio/api.ts'

const account = { sid: 'AC1', token: 't0ken-of-acme', origin: 'https://x', basePath: '', callerId: null }
const numbers = ['+972501234567', '+972501110000']
const basic = Buffer.from('AC1:t0ken-of-acme').toString('base64')

test('words lose the credentials, the text of the message and any code in it', () => {
  const text = 'Your code is 493817 at Acme'
  expect(redact(`Bad auth Basic ${basic}, t0ken-of-acme`, account, { text, numbers })).toBe('Bad auth Basic [redacted], [redacted]')
  expect(redact(`Refused: ${text}`, account, { text, numbers })).toBe('Refused: [redacted]')
  for (const code of ['493817', '4 9 3 8 1 7', '4, 9, 3, 8, 1, 7'])
    expect(redact(`Code ${code} is unwanted`, account, { text, numbers })).toBe('Code [redacted] is unwanted')
  expect(redact('Code 493817', account, { text: 'Your code is 4, 9, 3, 8, 1, 7', numbers })).toBe('Code [redacted]')
})

test('words lose the numbers of the recipient and of the sender', () => {
  expect(redact('Invalid To +972501234567 (972501234567)', account, { text: 'Hi', numbers })).toBe('Invalid To +[redacted] ([redacted])')
  expect(redact("The 'From' number +972501110000 cannot send", account, { text: 'Hi', numbers })).toBe(
    "The 'From' number +[redacted] cannot send",
  )
})

test('words that repeat nothing stay as they are', () => {
  expect(redact('HTTP 400, 21211: Invalid To', account, { text: 'Hi', numbers })).toBe('HTTP 400, 21211: Invalid To')
  expect(redact('HTTP 400', account, { text: '', numbers: [''] })).toBe('HTTP 400')
})
