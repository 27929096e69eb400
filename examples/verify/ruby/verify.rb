# Verifies callbacks. Copy this file: it needs Ruby 3 and no gem.
require 'openssl'

module Callbacks
  # The maximum difference between `webhook-timestamp` and the clock of this machine.
  TOLERANCE_SECONDS = 300

  module_function

  # Checks the headers of Standard Webhooks. Returns whether the callback is genuine and recent. Raises ArgumentError if
  # `secret` is not the signing secret of a webhook (`whsec_...`). `headers` are `request.headers` of Rails, or a Hash with
  # names in any case. `raw_body` is the body as received (Rails: `request.raw_post`). `now` is in Unix
  # seconds.
  def verify_standard_webhook(secret, headers, raw_body, now = Time.now.to_i)
    base64 = secret.delete_prefix('whsec_')
    raise ArgumentError, 'The secret is not whsec_ and base64.' unless base64.match?(%r{\A[A-Za-z0-9+/]+={0,2}\z})

    require_raw(raw_body)
    key = base64.unpack1('m0')
    id, timestamp, signatures = %w[id timestamp signature].map { |name| header(headers, "webhook-#{name}") }
    return false if id.empty? || !timestamp.b.match?(/\A[0-9]{1,12}\z/)
    return false if (now - timestamp.to_i).abs > TOLERANCE_SECONDS

    signed = "#{id}.#{timestamp}.".b + raw_body.b
    expected = "v1,#{[OpenSSL::HMAC.digest('SHA256', key, signed)].pack('m0')}"
    # For 24 hours after a new secret was made, there are two signatures.
    signatures.b.split(' ').any? { |signature| same?(signature, expected) }
  end

  # Checks the headers `Authorization` and `Signature`. Returns whether both are right. Raises ArgumentError if `webhook_id`
  # or `bearer` is empty. The key of `Signature` is the webhook's id, which is not secret: only `bearer` authenticates the
  # caller. It is the webhook's `secret` or, if it has none, the callback token of the account.
  def verify_signature(webhook_id, bearer, headers, raw_body)
    raise ArgumentError, 'The webhook id or the bearer is empty.' if webhook_id.empty? || bearer.empty?

    require_raw(raw_body)
    expected = OpenSSL::HMAC.hexdigest('SHA256', webhook_id, raw_body)
    same?(header(headers, 'authorization'), "Bearer #{bearer}") && same?(header(headers, 'signature'), expected)
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
