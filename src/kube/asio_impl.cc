// Asio's and Beast's own code, compiled here and nowhere else, so that the files which include them build in seconds.
// Everything else sees declarations only: BOOST_ASIO_SEPARATE_COMPILATION and BOOST_BEAST_SEPARATE_COMPILATION.
#include <boost/asio/impl/src.hpp>
#include <boost/asio/ssl/impl/src.hpp>
#include <boost/beast/src.hpp>
