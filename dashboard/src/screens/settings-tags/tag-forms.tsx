import { NativeSelect } from '@mantine/core'
import { TAG_COLORS } from '@tidings/domain'
import type { ShownTag } from '../../api/calls.ts'
import { EditRecordForm } from '../../ui/edit-record-form.tsx'
import { NewRecordForm } from '../../ui/new-record-form.tsx'
import { useWords } from '../../words/words.tsx'
import { TagBadge } from './tag-badge.tsx'
import { type TagColor, useCreateTag, useEditTag } from './tags.api.ts'
import styles from './tags.module.css'

type Props = Readonly<{ onClose: () => void }>
type ColorProps = Readonly<{ value: TagColor | null; onChange: (color: TagColor | null) => void }>

function ColorField({ value, onChange }: ColorProps) {
  const { tags: words } = useWords()
  return (
    <NativeSelect
      label={words.color}
      value={value ?? ''}
      data={[{ value: '', label: words.noColor }, ...TAG_COLORS.map((color) => ({ value: color, label: words.colors[color] }))]}
      onChange={(event) => onChange(TAG_COLORS.find((color) => color === event.currentTarget.value) ?? null)}
    />
  )
}

export function NewTag({ onClose }: Props) {
  const { tags: words } = useWords()
  const creating = useCreateTag(onClose)
  return (
    <NewRecordForm<TagColor | null>
      name={{ label: words.name, help: words.nameHelp, maxLength: 60 }}
      first={null}
      verb={words.create}
      creating={creating}
      onCreate={({ draft: color, ...given }, options) => creating.mutate({ color, ...given }, options)}
      onClose={onClose}
      className={styles.form}
    >
      {(color, change) => <ColorField value={color} onChange={change} />}
    </NewRecordForm>
  )
}

const colorOf = ({ color }: ShownTag): TagColor | null => color

export function EditTag({ tag, onClose }: Props & Readonly<{ tag: ShownTag }>) {
  const saving = useEditTag(tag.id, onClose)
  const form = { record: tag, draftOf: colorOf, saving, now: <TagBadge tag={tag} />, onClose, className: styles.form }
  return (
    <EditRecordForm {...form}>
      {(color, change) => (
        <>
          <p>
            <TagBadge tag={{ ...tag, color }} />
          </p>
          <ColorField value={color} onChange={change} />
        </>
      )}
    </EditRecordForm>
  )
}
