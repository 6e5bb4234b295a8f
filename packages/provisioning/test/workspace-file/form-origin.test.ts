import { expect, test } from 'vitest'
import { formOrigin } from '../../src/workspace-file/form-origin.ts'

test.each([
  ['https://shop.acme.example', 'https://shop.acme.example'],
  ['https://Shop.Acme.example/', 'https://shop.acme.example'],
  ['https://shop.acme.example:443', 'https://shop.acme.example'],
  ['https://shop.acme.example:8443', 'https://shop.acme.example:8443'],
  ['http://localhost:5173', 'http://localhost:5173'],
  ['https://bücher.example', 'https://xn--bcher-kva.example'],
])('%s is the origin %s', (text, origin) => {
  expect(formOrigin(text)).toBe(origin)
})

test.each([
  'shop.acme.example',
  '*',
  'null',
  'https://shop.acme.example/checkout',
  'https://shop.acme.example/?',
  'https://shop.acme.example/#',
  'https://shop.acme.example?a=1',
  'https://user@shop.acme.example',
  'file:///tmp/page.html',
  'chrome-extension://abcdef',
  '',
])('%j is none', (text) => {
  expect(formOrigin(text)).toBeNull()
})
