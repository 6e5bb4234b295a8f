import type { CampaignOption, CustomFieldOption, EventItem, SmsSenderIdOption } from '@tidings/contracts'
import type { CampaignRow, CustomEventRow, CustomFieldRow, SmsSenderRow } from './tables.ts'

/** The allowed values are null where any value is allowed (contract: Lookup lists). */
export const toCustomFieldOption = ({
  id,
  key,
  label,
  kind,
  options,
}: Pick<CustomFieldRow, 'id' | 'key' | 'label' | 'kind' | 'options'>): CustomFieldOption => ({
  value: id,
  label,
  kind,
  key,
  allowedValues: kind === 'select' || kind === 'multiSelect' ? options.map(({ value }) => value) : null,
  options: [...options],
})

/** The label is always the value (contract: Lookup lists). */
export const toSmsSenderIdOption = ({ sender_id }: Pick<SmsSenderRow, 'sender_id'>): SmsSenderIdOption => ({
  value: sender_id,
  label: sender_id,
})

/** A built-in event: its label is its name, and it has no properties (contract: Lookup lists). */
export const toSystemEventItem = (name: string): EventItem => ({ value: name, label: name, kind: 'system' })

export const toCustomEventItem = ({ name, label, properties }: Pick<CustomEventRow, 'name' | 'label' | 'properties'>): EventItem => ({
  value: name,
  label,
  kind: 'custom_event',
  properties: [...properties],
})

export const toCampaignOption = ({
  id,
  name,
  channel,
  status,
}: Pick<CampaignRow, 'id' | 'name' | 'channel' | 'status'>): CampaignOption => ({ value: id, label: name, channel, status })
