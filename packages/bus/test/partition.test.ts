import { asContactId, asWorkspaceId } from '@tidings/domain'
import fc from 'fast-check'
import { Partitioners } from 'kafkajs'
import { expect, test } from 'vitest'
import { keyOf, partitionOf } from '../src/partition.ts'

test('a key falls into the partition where the clients of Kafka put it', () => {
  const theirs = Partitioners.DefaultPartitioner()
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 80 }), fc.integer({ min: 1, max: 60 }), (key, partitions) => {
      const partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => ({
        partitionErrorCode: 0,
        partitionId,
        leader: 1,
        replicas: [1],
        isr: [1],
      }))
      expect(partitionOf(key, partitions)).toBe(theirs({ topic: 't', partitionMetadata, message: { key, value: null } }))
    }),
  )
})

test('what is about a contact is filed under it, the rest under the workspace', () => {
  expect(keyOf({ workspaceId: asWorkspaceId('w'), contactId: asContactId('c') })).toBe('w:c')
  expect(keyOf({ workspaceId: asWorkspaceId('w'), contactId: null })).toBe('w')
})
