import type { CampaignOption, CustomFieldOption, EventItem, SmsSenderIdOption } from '@tidings/contracts'
import type { CampaignRow, CustomEventRow, CustomFieldRow, SmsSenderRow } from './tables.ts'

/** The allowed values are null where any value is allowed (contract: Lookup lists). */
export function toCustomFieldOption({
  id,
  key,
  label,
  kind,
  options,
}: Pick<CustomFieldRow, 'id' | 'key' | 'label' | 'kind' | 'options'>): CustomFieldOption {
  return {
    value: id,
    label,
    kind,
    key,
    allowedValues: kind === 'select' || kind === 'multiSelect' ? options.map(({ value }) => value) : null,
    options: [...options],
  }
}

/** The label is always the value (contract: Lookup lists). */
export function toSmsSenderIdOption({ sender_id }: Pick<SmsSenderRow, 'sender_id'>): SmsSenderIdOption {
  return {
    value: sender_id,
    label: sender_id,
  }
}

/** A built-in event: its label is its name, and it has no properties (contract: Lookup lists). */
export function toSystemEventItem(name: string): EventItem {
  return { value: name, label: name, kind: 'system' }
}

/** `observed`: names of properties that were reported; the declared ones come first. */
export function toCustomEventItem(
  { name, label, properties }: Pick<CustomEventRow, 'name' | 'label' | 'properties'>,
  observed: readonly string[] = [],
): EventItem {
  return {
    value: name,
    label,
    kind: 'custom_event',
    properties: [...new Set([...properties, ...observed])],
  }
}

export function toCampaignOption({ id, name, channel, status }: Pick<CampaignRow, 'id' | 'name' | 'channel' | 'status'>): CampaignOption {
  return { value: id, label: name, channel, status }
}
