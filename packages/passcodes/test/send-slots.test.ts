import { Busy } from '@tidings/commands'
import { asWorkspaceId } from '@tidings/domain'
import { expect, it } from 'vitest'
import { createSendSlots } from '../src/create-passcodes.ts'

it('a workspace whose sends are slow leaves slots to the others, and each slot is free again', async () => {
  const inSlot = createSendSlots({ all: 3, perWorkspace: 2 })
  const gate = Promise.withResolvers<string>()
  const slow = [inSlot(asWorkspaceId('a'), () => gate.promise), inSlot(asWorkspaceId('a'), () => gate.promise)]
  await expect(inSlot(asWorkspaceId('a'), async () => 'no')).rejects.toThrow(Busy)
  expect(await inSlot(asWorkspaceId('b'), async () => 'yes')).toBe('yes')
  const third = inSlot(asWorkspaceId('b'), () => gate.promise)
  await expect(inSlot(asWorkspaceId('c'), async () => 'no')).rejects.toThrow(Busy)
  gate.resolve('sent')
  expect(await Promise.all([...slow, third])).toEqual(['sent', 'sent', 'sent'])
  await expect(inSlot(asWorkspaceId('a'), () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect(await inSlot(asWorkspaceId('a'), async () => 'again')).toBe('again')
})
