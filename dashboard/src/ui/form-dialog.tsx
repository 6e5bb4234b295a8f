import { Button, Group, Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { useWords } from '../words/words.tsx'
import { useHeldForm } from './use-held-form.ts'

type DialogProps = Readonly<{ opened: boolean; title: string; onClose: () => void; children: ReactNode }>

/** A dialog around a form, which is a part of its own: it begins anew each time the dialog opens. */
export function FormDialog({ opened, title, onClose, children }: DialogProps) {
  const { app } = useWords()
  return (
    <Modal opened={opened} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': app.close }}>
      {children}
    </Modal>
  )
}

type ButtonsProps = Readonly<{ verb: string; pending: boolean; disabled?: boolean; onClose: () => void }>

/** Leaves the form, or sends it. The button says the verb. */
export function FormButtons({ verb, pending, disabled = false, onClose }: ButtonsProps) {
  const { ui } = useWords()
  const inside = useHeldForm<HTMLDivElement>(pending)
  return (
    <Group ref={inside} justify="flex-end" mt="lg">
      <Button variant="default" onClick={onClose}>
        {ui.cancel}
      </Button>
      <Button type="submit" loading={pending} disabled={disabled}>
        {verb}
      </Button>
    </Group>
  )
}
