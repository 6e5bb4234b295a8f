/**
 * Codes that a caller of the API can meet. Each has its status and its sentence in packages/http (`refusals`), which does not compile without: a code
 * that had none would be answered 500.
 */
export type ApiRefusalCode =
  // Profiles
  | 'contact_email_taken'
  | 'contact_phone_taken'
  | 'invalid_phone'
  | 'invalid_email'
  | 'custom_properties_too_large'
  | 'custom_properties_too_many_keys'
  | 'profile_not_found'
  | 'contact_not_found'
  // Workspace
  | 'workspace_not_found'
  | 'workspace_not_active'
  | 'workspace_closed'
  // Messages
  | 'message_not_found'
  | 'message_content_gone'
  | 'from_domain_not_verified'
  | 'from_domain_blacklisted'
  | 'sender_inbox_not_verified'
  | 'sender_id_required'
  | 'sender_id_not_approved'
  | 'insufficient_credits'
  | 'template_not_found'
  | 'template_channel_mismatch'
  | 'template_render_failed'
  | 'content_empty'
  | 'content_too_long'
  | 'recipient_email_missing'
  | 'recipient_phone_missing'
  // Lists, tags, events
  | 'list_not_found'
  | 'list_not_static'
  | 'list_type_fixed'
  | 'tag_limit_reached'
  | 'tag_name_taken'
  | 'event_name_reserved'
  | 'event_name_not_of_stores'
  | 'event_properties_too_large'
  // Passcodes
  | 'otp_phone_invalid'
  | 'otp_cap_reached'
  | 'otp_volume_cap_reached'
  | 'otp_credits_insufficient'
  | 'otp_provider_failed'
  // Webhooks, web push, forms, keys, sessions
  | 'webhook_url_blocked'
  | 'webhook_limit_reached'
  | 'push_endpoint_blocked'
  | 'webhook_not_found'
  | 'webhook_paused'
  | 'webhook_asked_too_often'
  | 'webhook_delivery_not_found'
  | 'webhook_delivery_gone'
  | 'origin_not_allowed'
  | 'embedded_forms_disabled'
  | 'login_failed'
  | 'login_slowed'
  | 'login_ambiguous'
  | 'link_failed'
  | 'authentication_required'
  | 'role_required'
  | 'owner_required'
  | 'operator_required'
  | 'workspace_required'
  | 'workspace_not_chosen'
  | 'user_exists'
  | 'user_not_found'
  | 'own_user_fixed'
  | 'owner_needed'
  | 'people_changing'
  | 'api_key_not_found'
  | 'api_key_active'
  // Editing
  | 'if_match_required'
  | 'changed_meanwhile'
  // Idempotency-Key
  | 'idempotency_key_reused'
  | 'idempotency_in_progress'

/** Codes that no route lets out: the code that gave the command catches them, or an operator's command says its own sentence. */
type InnerRefusalCode =
  // Contacts and their addresses
  | 'claim_held'
  | 'claim_in_use'
  | 'claim_lost'
  | 'sign_up_not_found'
  | 'sign_up_expired'
  // Campaigns and flows
  | 'campaign_not_found'
  | 'campaign_channel_fixed'
  | 'campaign_move_not_allowed'
  | 'campaign_schedule_not_ahead'
  | 'flow_not_found'
  | 'flow_limit_reached'
  // Senders
  | 'sender_address_not_found'
  | 'sender_address_verified'
  | 'sender_confirmation_unknown'
  | 'sender_confirmation_expired'
  | 'sender_confirmation_capped'
  | 'sender_confirmations_capped'
  | 'sender_domain_not_found'
  | 'dkim_key_limit'
  | 'dkim_key_not_found'
  | 'sender_id_not_found'
  | 'sender_id_rejected'
  | 'sender_id_reserved'
  | 'sender_number_taken'
  // Wallet
  | 'credits_not_positive'
  | 'wallet_full'

/** Every code that a rule may refuse with. */
export type RefusalCode = ApiRefusalCode | InnerRefusalCode
