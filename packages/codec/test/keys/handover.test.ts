import { expect, it } from 'vitest'
import { parseMasterKey } from '../../src/keys/master-key.ts'
import { storedDerivers, wrapPurposeKeys } from '../../src/keys/master-keys.ts'

it('a former master key goes on deriving what it derived, where a purpose was added since', () => {
  const [former, current] = [parseMasterKey('01'.repeat(32)), parseMasterKey('02'.repeat(32))]
  const stored = wrapPurposeKeys(current, former).filter(({ purpose }) => purpose !== 'passcode digest v1')
  const [derive] = storedDerivers(stored, [current])
  expect(derive?.('link token tag v1').equals(former.derive('link token tag v1'))).toBe(true)
  expect(derive?.('passcode digest v1').equals(former.derive('passcode digest v1'))).toBe(false)
})
