# Verifies callbacks. Copy this file: it needs Ruby 3 and no gem.
require 'openssl'

module Callbacks
  # The maximum difference between `webhook-timestamp` and the clock of this machine.
  TOLERANCE_SECONDS = 300

  module_function

  # Checks the headers of Standard Webhooks. Returns what is wrong with the callback; nil if it is genuine and recent. Raises
  # ArgumentError if `secret` is not the signing secret of a webhook (`whsec_...`). `headers` are `request.headers` of Rails, or a Hash with
  # names in any case. `raw_body` is the body as received (Rails: `request.raw_post`). `now` is in Unix
  # seconds.
  def find_standard_webhook_problem(secret, headers, raw_body, now = Time.now.to_i)
    base64 = secret.delete_prefix('whsec_')
    raise ArgumentError, 'The secret is not whsec_ and base64.' unless base64.match?(%r{\A[A-Za-z0-9+/]+={0,2}\z})

    require_raw(raw_body)
    key = base64.unpack1('m0')
    id, timestamp, signatures = %w[id timestamp signature].map { |name| header(headers, "webhook-#{name}") }
    return 'the webhook-id header is missing' if id.empty?
    return 'the webhook-timestamp header is missing' if timestamp.empty?
    return 'the webhook-signature header is missing' if signatures.empty?
    return 'the webhook-timestamp header is not a Unix timestamp' unless timestamp.b.match?(/\A[0-9]{1,12}\z/)
    return 'the webhook-timestamp header is too old' if now - timestamp.to_i > TOLERANCE_SECONDS
    return 'the webhook-timestamp header is in the future' if timestamp.to_i - now > TOLERANCE_SECONDS

    signed = "#{id}.#{timestamp}.".b + raw_body.b
    expected = "v1,#{[OpenSSL::HMAC.digest('SHA256', key, signed)].pack('m0')}"
    # For 24 hours after a new secret was made, there are two signatures.
    return nil if signatures.b.split(' ').any? { |signature| same?(signature, expected) }

    'the webhook-signature header is wrong'
  end

  # Checks the headers `Authorization` and `Signature`. Returns what is wrong with the callback; nil if both are right. Raises
  # ArgumentError if `webhook_id` or `bearer` is empty. The key of `Signature` is the webhook's id, which is not secret: only `bearer` authenticates the
  # caller. It is the webhook's `secret` or, if it has none, the callback token of the account.
  def find_signature_problem(webhook_id, bearer, headers, raw_body)
    raise ArgumentError, 'The webhook id or the bearer is empty.' if webhook_id.empty? || bearer.empty?

    require_raw(raw_body)
    expected = OpenSSL::HMAC.hexdigest('SHA256', webhook_id, raw_body)
    { 'Authorization' => "Bearer #{bearer}", 'Signature' => expected }.each do |name, value|
      actual = header(headers, name.downcase)
      return "the #{name} header is missing" if actual.empty?
      return "the #{name} header is wrong" unless same?(actual, value)
    end
    nil
  end

  # Returns the header, whatever the case of its name in a Hash; an empty text if it is missing.
  def header(headers, name)
    headers = headers.transform_keys { |key| key.to_s.downcase } if headers.is_a?(Hash)
    headers[name].to_s
  end

  def require_raw(body)
    raise TypeError, 'raw_body is not the raw body: use request.raw_post of Rails.' unless body.is_a?(String)
  end

  # Compares in constant time.
  def same?(actual, expected)
    actual.bytesize == expected.bytesize && OpenSSL.fixed_length_secure_compare(actual, expected)
  end
end
