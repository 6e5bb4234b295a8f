import { expect, it } from 'vitest'
import { trustedNetworks } from '../../src/client/client-address.ts'

it('trusts what it names, and nothing where it names nothing', () => {
  const local = trustedNetworks('uniquelocal,loopback,linklocal')
  for (const address of ['10.1.2.3', '172.31.0.1', '192.168.9.9', 'fd00::1', '127.0.0.2', '::1', '169.254.1.1', 'fe80::9'])
    expect([address, local(address)]).toEqual([address, true])
  for (const address of ['11.0.0.1', '172.32.0.1', '2001:db8::1', '0.0.0.0']) expect([address, local(address)]).toEqual([address, false])
  expect(trustedNetworks('')('127.0.0.1')).toBe(false)
})

it('refuses what is no network, when the service starts', () => {
  for (const wrong of ['1.2.3', '10.0.0.0/33', '::1/129', 'anything']) expect(() => trustedNetworks(wrong)).toThrow()
})
