import { expect, test } from 'vitest'
import { saysBadAddress } from '../../src/outcomes/note-outcome.ts'

test.each([
  '550 5.1.1 no such user',
  '550-5.1.2 no such host',
  '550 #5.1.1 unknown',
  '5.1.1',
  '5.1.1 (bad destination mailbox address)',
  '5.1.10 smtp; 556 null MX',
  '5.0.0 smtp; 550 5.1.1 no such user',
  'smtp;550 5.1.6 moved',
  'Sorry, no mailbox here by that name. (#5.1.1)',
])('%j names the address as bad', (detail) => expect(saysBadAddress(detail)).toBe(true))

test.each([
  '550 the host 185.5.1.20 is listed',
  '550 5.1.20.185 is listed',
  '550 5.7.1 see 5.1.1',
  '5.1.20.185 is listed',
  '550 5.1.8 sender unknown',
  '5.1.7',
  '550 5.2.1 disabled',
  '450 4.1.1 try later',
  'wants version 5.1.2',
  '',
])('%j does not', (detail) => expect(saysBadAddress(detail)).toBe(false))
