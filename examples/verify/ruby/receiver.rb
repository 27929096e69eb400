# Receives callbacks. It answers 200 to genuine ones and 401 to others. See ../README.md for its settings.
require 'socket'
require_relative 'verify'

SECRET, WEBHOOK_ID, BEARER = %w[SECRET WEBHOOK_ID BEARER].map { |name| ENV.fetch(name, '') }
abort 'Set SECRET, or WEBHOOK_ID and BEARER.' if SECRET.empty? && (WEBHOOK_ID.empty? || BEARER.empty?)

def genuine?(headers, body)
  return Callbacks.verify_signature(WEBHOOK_ID, BEARER, headers, body) if SECRET.empty?

  Callbacks.verify_standard_webhook(SECRET, headers, body)
end
genuine?({}, '') # A malformed secret ends the program now.

# Ruby's standard library has no HTTP server. A real receiver uses Rails or another framework, of which only the headers and
# the raw body are needed.
def read_request(socket)
  socket.gets
  lines = socket.each_line.take_while { |line| line != "\r\n" }
  headers = lines.to_h { |line| line.chomp.split(/:\s*/, 2) }.transform_keys(&:downcase)
  # Callbacks have a Content-Length.
  length = headers['content-length']
  return [headers, nil] unless length&.match?(/\A[0-9]{1,8}\z/) && length.to_i <= 20_971_520

  [headers, socket.read(length.to_i)]
end

def receive(socket)
  headers, body = read_request(socket)
  genuine = !body.nil? && genuine?(headers, body)
  puts "genuine #{body}" if genuine
  status = genuine ? '200 OK' : '401 Unauthorized'
  socket.write("HTTP/1.1 #{status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
ensure
  socket.close
end

$stdout.sync = true
server = TCPServer.new(ENV.fetch('PORT', '4000').to_i)
puts "receiving at http://localhost:#{server.addr[1]}/"
loop { Thread.new(server.accept) { |socket| receive(socket) } }
